package io.idempotency.benchmarks.harness;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

@PostgresTest
@Tag("full")
class RoundTripsTest {

    private final PGSimpleDataSource dataSource = new PGSimpleDataSource();

    private Connection connection;

    RoundTripsTest(TestDatabase database) {
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(database.username());
        dataSource.setPassword(database.password());
        dataSource.setSocketFactory(RoundTrips.class.getName());
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = dataSource.getConnection();
    }

    @AfterEach
    void disconnect() throws SQLException {
        RoundTrips.delay(Duration.ZERO);
        connection.close();
    }

    @Test
    void aRoundTripIsWhatTheDriverWaitsFor() throws Exception {
        try (PreparedStatement select = connection.prepareStatement("select ?");
                Statement several = connection.createStatement()) {
            for (int i = 0; i < 10; i++) { // the driver changes to a server-side prepared statement on the way
                select.setInt(1, i);
                assertThat(roundTripsOf(() -> select.executeQuery().close())).isEqualTo(1);
            }
            connection.setAutoCommit(false);
            assertThat(roundTripsOf(() -> several.execute("select 1; select 2; select 3")))
                    .as("BEGIN and three statements")
                    .isEqualTo(1);
            assertThat(roundTripsOf(connection::commit)).isEqualTo(1);
            assertThat(roundTripsOf(connection::commit)).as("nothing to commit").isZero();
        }
    }

    @Test
    void aRequestOfManyPacketsIsOneRoundTripAndDelayedOnce() throws Exception {
        Duration delay = Duration.ofMillis(100);
        RoundTrips.delay(delay);
        try (PreparedStatement select = connection.prepareStatement("select length(?)")) {
            select.setString(1, "x".repeat(1_000_000));
            long start = System.nanoTime();

            assertThat(roundTripsOf(() -> select.executeQuery().close())).isEqualTo(1);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(delay);
        }
    }

    private static long roundTripsOf(Work work) throws Exception {
        long before = RoundTrips.count();
        work.run();
        return RoundTrips.count() - before;
    }

    @FunctionalInterface
    private interface Work {

        void run() throws Exception;
    }
}
