package io.idempotency.test;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@PostgresTest
@Tag("full")
class BackendsTest {

    private static final String INSERT = "insert into claim values (1) on conflict do nothing";

    private final TestDatabase database;
    private final Backends backends;

    BackendsTest(TestDatabase database) {
        this.database = database;
        this.backends = database.backends();
    }

    @BeforeAll
    static void createTable(TestDatabase database) {
        database.jdbc().execute("create table claim (id int primary key)");
    }

    @Test
    void seeAWaiterAndWhomItWaitsFor() throws SQLException {
        try (Connection holder = database.connection()) {
            holder.setAutoCommit(false);
            execute(holder, INSERT);
            int holderPid = Backends.pidOf(holder);

            ConcurrentCalls<Void> waiters = ConcurrentCalls.start(2, () -> {
                try (Connection waiter = database.dataSource().getConnection()) {
                    execute(waiter, INSERT);
                }
            });
            backends.awaitBlocked(2);

            assertThat(backends.activity())
                    .filteredOn(Backends.Backend::blocked)
                    .hasSize(2)
                    .allSatisfy(backend ->
                            assertThat(backends.blockersOf(backend.pid())).contains(holderPid));
            assertThat(backends.activity())
                    .filteredOn(Backends.Backend::inTransaction)
                    .singleElement()
                    .matches(backend -> backend.pid() == holderPid && backend.writing());
            assertThat(backends.locks())
                    .anyMatch(lock -> lock.relation().equals("claim") && lock.granted())
                    .anyMatch(lock -> !lock.granted());

            holder.rollback();
            waiters.await().requireAllSucceeded();
            backends.awaitIdle();
        }
    }

    @Test
    void doNotSeeAWaiterThatIsNotThere() {
        assertThatThrownBy(() -> backends.awaitBlocked(1, Duration.ofMillis(100)))
                .isInstanceOf(ConditionTimeoutException.class)
                .hasMessageContaining("1 backends wait for a lock");
    }

    @Test
    void terminateOne() throws SQLException {
        try (Connection victim = database.connection()) {
            victim.setAutoCommit(false);
            execute(victim, "insert into claim values (2)");
            int pid = Backends.pidOf(victim);

            backends.terminate(pid);

            backends.awaitGone(pid);
            assertThatThrownBy(() -> execute(victim, "select 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isIn("57P01", "08006"));
        }
        assertThat(database.jdbc().queryForObject("select count(*) from claim where id = 2", Long.class))
                .isZero();
        assertThatThrownBy(() -> backends.terminate(-1)).isInstanceOf(AssertionError.class);
    }

    @Test
    void cancelAStatement() throws SQLException {
        try (Connection holder = database.connection();
                Connection waiter = database.connection()) {
            holder.setAutoCommit(false);
            execute(holder, "insert into claim values (3)");
            ConcurrentCalls<Void> waiting =
                    ConcurrentCalls.start(1, () -> execute(waiter, "insert into claim values (3)"));
            backends.awaitBlocked(waiter);

            backends.cancel(Backends.pidOf(waiter));

            assertThat(waiting.await().failures())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            PSQLException.class,
                            e -> assertThat(e.getServerErrorMessage())
                                    .extracting(ServerErrorMessage::getSQLState)
                                    .isEqualTo("57014"));
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
