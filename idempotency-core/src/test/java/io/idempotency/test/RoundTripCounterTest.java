package io.idempotency.test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @Test
    void anAutocommitSelectIsOne() throws Exception {
        try (Connection connection = counter.connection();
                PreparedStatement select = connection.prepareStatement("select ?")) {
            for (int i = 0; i < 10; i++) { // the driver changes to a server-side prepared statement on the way
                select.setInt(1, i);
                assertThat(counter.count(() -> select.executeQuery().close())).isEqualTo(1);
            }
        }
    }

    @Test
    void beginTravelsWithTheFirstStatementAndCommitAlone() throws Exception {
        try (Connection connection = counter.connection();
                Statement statement = connection.createStatement()) {
            long roundTrips = counter.count(() -> {
                connection.setAutoCommit(false);
                statement.execute("insert into counted values (1)");
                connection.commit();
            });

            assertThat(roundTrips).isEqualTo(2);
            assertThat(counter.countAnswers(() -> {
                        statement.execute("insert into counted values (1)");
                        connection.commit();
                    }))
                    .as("BEGIN, the statement and COMMIT, each by itself")
                    .isEqualTo(3);
            assertThat(counter.count(connection::commit))
                    .as("nothing to commit")
                    .isZero();
            assertThat(counter.count(() -> statement.execute("select 1; select 2; select 3")))
                    .as("several statements in one execution")
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void countsTheSameInEachQueryMode(String mode) throws Exception {
        String url = counter.jdbcUrl() + "&preferQueryMode=" + mode;
        try (Connection connection = DriverManager.getConnection(url, database.username(), database.password());
                PreparedStatement insert = connection.prepareStatement("insert into counted values (?, ?)")) {
            connection.setAutoCommit(false);
            insert.setInt(1, 3);
            for (int length : new int[] {0, 7_000, 10_000, 200_000}) {
                insert.setString(2, "x".repeat(length)); // also more than fits into the driver's send buffer
                for (int i = 0; i < 10; i++) {
                    assertThat(counter.count(insert::executeUpdate)).isEqualTo(1);
                    assertThat(counter.count(connection::commit)).isEqualTo(1);
                }
            }
        }
    }

    @Test
    void anExplicitBeginIsOneOfItsOwn() throws Exception {
        try (Connection connection = counter.connection();
                Statement statement = connection.createStatement()) {
            assertThat(counter.count(() -> {
                        statement.execute("begin");
                        statement.execute("select 1");
                        statement.execute("commit");
                    }))
                    .isEqualTo(3);
        }
    }

    @Test
    void isNotMisledByMessageBodies() throws SQLException {
        String text = "SQF".repeat(100_000);
        try (Connection connection = counter.connection();
                PreparedStatement insert = connection.prepareStatement("insert into counted values (2, ?)");
                PreparedStatement select = connection.prepareStatement("select text from counted where id = 2")) {
            counter.reset();
            insert.setString(1, text);
            insert.executeUpdate();
            try (ResultSet row = select.executeQuery()) {
                row.next();
                assertThat(row.getString(1)).isEqualTo(text);
            }
            assertThat(counter.roundTrips()).isEqualTo(2);
        }
    }

    @Test
    void isReachedByAPoolAndEndsWhenClosed() {
        JdbcTemplate jdbc = new JdbcTemplate(counter.dataSource(2));
        jdbc.queryForObject("select 1", Integer.class);
        assertThat(counter.connections()).isBetween(1, 2);
        assertThat(counter.roundTrips()).isPositive();

        counter.close();

        assertThatThrownBy(counter::connection).isInstanceOf(SQLException.class);
    }

    @Test
    void passesATerminationOn() throws SQLException {
        try (Connection connection = counter.connection();
                Statement statement = connection.createStatement()) {
            database.backends().terminate(Backends.pidOf(connection));

            assertThatThrownBy(() -> statement.execute("select 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isIn("57P01", "08006"));
        }
    }
}
