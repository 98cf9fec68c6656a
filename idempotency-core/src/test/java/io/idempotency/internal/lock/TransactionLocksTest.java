package io.idempotency.internal.lock;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.LockNotAcquiredException;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.lock.TransactionLocks;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Who is let in, who waits, and what ends a lock. */
@PostgresTest
class TransactionLocksTest {

    private static final String NAME = "settlement-close";

    private static final String DAY = "17 2026-03-31";

    private static final Duration LONG = Duration.ofSeconds(20);

    /** Only for who waits in vain: it bounds the statement even where nobody is in the way. */
    private static final Duration SHORT = Duration.ofMillis(200);

    /** What rounding to milliseconds takes away. */
    private static final Duration ROUNDING = Duration.ofMillis(1);

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final JdbcTemplate jdbc;

    private final TransactionTemplate transaction;

    private final TransactionLocks locks;

    TransactionLocksTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.jdbc = new JdbcTemplate(database.dataSource());
        JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
        this.transaction = new TransactionTemplate(manager);
        PostgresStorage storage = MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA);
        this.locks = new LockTemplate(new JoinedTransactions(database.dataSource(), manager), storage.lockStore());
    }

    @BeforeAll
    static void createTables(TestDatabase database) {
        MigratedTables.in(database);
        database.jdbc().execute("create table effect (what text)");
    }

    @AfterEach
    void clear() {
        admin.execute("truncate effect");
    }

    @Test
    void whoTriesIsToldThatAnotherHasIt() throws SQLException {
        try (Connection holder = holding(NAME, DAY)) {
            assertThat(transaction.<Boolean>execute(status -> {
                        boolean taken = locks.tryAcquire(NAME, DAY);
                        assertThat(locks.tryAcquire(NAME, "17 2026-04-01")).isTrue();
                        assertThat(locks.tryAcquire("settlement-open", DAY)).isTrue();
                        jdbc.update("insert into effect values ('of who was not let in')");
                        return taken;
                    }))
                    .isFalse();
            holder.rollback();
        }

        assertThat(effects()).isOne();
        assertThat(transaction.<Boolean>execute(status -> locks.tryAcquire(NAME, DAY)))
                .isTrue();
    }

    @Test
    @Tag("race")
    void whoHasWaitedSeesWhatTheOneBeforeHasCommitted() throws SQLException {
        try (Connection holder = holding(NAME, DAY)) {
            ConcurrentCalls<Integer> waiting = ConcurrentCalls.start(
                    1,
                    () -> transaction.execute(status -> {
                        locks.acquire(NAME, DAY, LONG);
                        return jdbc.queryForObject("select count(*) from effect", Integer.class);
                    }));
            database.backends().awaitBlocked(1);
            execute(holder, "insert into effect values ('of the holder')");
            holder.commit();

            assertThat(waiting.await().requireAllSucceeded()).containsExactly(1);
        }
    }

    @Test
    void theWaitIsBounded() throws SQLException {
        try (Connection holder = holding(NAME, DAY)) {
            long start = System.nanoTime();
            LockNotAcquiredException refusal = catchThrowableOfType(
                    LockNotAcquiredException.class,
                    () -> transaction.executeWithoutResult(status -> locks.acquire(NAME, DAY, SHORT)));

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT.minus(ROUNDING), LONG.dividedBy(2));
            assertThat(refusal)
                    .hasMessageContaining(
                            "The lock 'settlement-close' on '17 2026-03-31' could not be acquired within 200 ms")
                    .returns(NAME, LockNotAcquiredException::name)
                    .returns(DAY, LockNotAcquiredException::resource);
            assertThat(refusal.intent()).isEmpty();
            holder.rollback();
        }
    }

    @Test
    void theTimeOfTheTransactionBoundsTheWaitToo() throws SQLException {
        try (Connection holder = holding(NAME, DAY)) {
            transaction.setTimeout(3);
            long start = System.nanoTime();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> locks.acquire(NAME, DAY, LONG)));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LONG);
            holder.rollback();
        }
    }

    @Test
    void somebodyElsesCancelIsNotTheEndOfTheWait() throws SQLException {
        try (Connection holder = holding(NAME, DAY)) {
            ConcurrentCalls<Void> waiting = ConcurrentCalls.start(
                    1, () -> transaction.executeWithoutResult(status -> locks.acquire(NAME, DAY, LONG)));
            database.backends().awaitBlocked(1);
            admin.execute("select pg_cancel_backend(pid) from pg_stat_activity"
                    + " where datname = current_database() and wait_event_type = 'Lock'");

            assertThat(waiting.await().failures()).singleElement().isInstanceOf(QueryTimeoutException.class);
            holder.rollback();
        }
    }

    @Test
    void afterTheLockTheApplicationsOwnTimeoutCountsAgain() {
        transaction.executeWithoutResult(status -> {
            jdbc.execute("set local statement_timeout = '7s'");
            locks.acquire(NAME, DAY, LONG);

            assertThat(jdbc.queryForObject("show statement_timeout", String.class))
                    .isEqualTo("7s");
        });
    }

    @Test
    void whoSwallowsTheRefusalCannotCommit() throws SQLException {
        try (Connection holder = holding(NAME, DAY)) {
            assertThatExceptionOfType(TransactionFailedException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                        jdbc.update("insert into effect values ('before the lock')");
                        assertThat(catchThrowable(() -> locks.acquire(NAME, DAY, SHORT)))
                                .isInstanceOf(LockNotAcquiredException.class);
                    }))
                    .withMessageContaining("or a lock not be taken")
                    .withCauseInstanceOf(LockNotAcquiredException.class);
            holder.rollback();
        }

        assertThat(effects()).isZero();
    }

    @Test
    void withoutATransactionItIsRefused() {
        TransactionTemplate elsewhere = new TransactionTemplate(new JdbcTransactionManager(database.dataSource(1)));

        assertThatExceptionOfType(TransactionMismatchException.class)
                .isThrownBy(() -> locks.tryAcquire(NAME, DAY))
                .withMessageContaining("locks taken, only in an open JDBC or JPA transaction");
        assertThatExceptionOfType(TransactionMismatchException.class).isThrownBy(() -> locks.acquire(NAME, DAY, SHORT));
        assertThatExceptionOfType(TransactionMismatchException.class)
                .isThrownBy(() -> elsewhere.execute(status -> locks.tryAcquire(NAME, DAY)));
    }

    @Test
    void namesThatCannotBeMeantAreRefusedBeforeTheDatabaseIsAsked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.tryAcquire("x".repeat(129), DAY))
                .withMessage("The name of a lock has 129 characters, more than 128");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.acquire(NAME, "x".repeat(256), SHORT))
                .withMessage("The resource of a lock has 256 characters, more than 255");
        assertThatThrownBy(() -> locks.acquire(NAME, DAY, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The timeout of the lock 'settlement-close' is 0s: wait for more than 0, or use"
                        + " tryAcquire, which does not wait");
    }

    /** In SQL, as another program would. */
    private Connection holding(String name, String resource) throws SQLException {
        Connection holder = database.connection();
        holder.setAutoCommit(false);
        execute(
                holder,
                "select pg_advisory_xact_lock(idempotency.idempotency_lock_id('" + name + "', '" + resource + "'))");
        return holder;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Integer effects() {
        return admin.queryForObject("select count(*) from effect", Integer.class);
    }
}
