package io.idempotency.test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@PostgresTest
@Tag("full")
class RoundTripCounterTest {

    private final TestDatabase database;
    private final RoundTripCounter counter;

    RoundTripCounterTest(TestDatabase database) {
        this.database = database;
        this.counter = RoundTripCounter.of(database);
    }

    @BeforeEach
    void createTable() {
        database.jdbc().execute("create table if not exists counted (id int, text text)");
    }

    @AfterEach
    void close() {
        counter.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void countsTheSameInEachQueryMode(String mode) throws Exception {
        String url = counter.jdbcUrl() + "&preferQueryMode=" + mode;
        try (Connection connection = DriverManager.getConnection(url, database.username(), database.password());
                PreparedStatement insert = connection.prepareStatement("insert into counted values (?, ?)")) {
            connection.setAutoCommit(false);
            insert.setInt(1, 3);
            for (int length : new int[] {0, 2_333, 3_333, 66_666}) {
                // Looks like messages, and is also more than fits into the driver's send buffer.
                insert.setString(2, "SQF".repeat(length));
                for (int i = 0; i < 10; i++) {
                    assertThat(counter.count(insert::executeUpdate)).isEqualTo(1);
                    assertThat(counter.count(connection::commit)).isEqualTo(1);
                }
            }
        }
    }
}
