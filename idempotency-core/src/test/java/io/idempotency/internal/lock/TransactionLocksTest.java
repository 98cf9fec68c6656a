package io.idempotency.internal.lock;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.LockNotAcquiredException;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.lock.TransactionLocks;
import io.idempotency.test.Backends;
import io.idempotency.test.CallResults;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

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
        PostgresStorage storage = new PostgresStorage(database.dataSource(), MigratedTables.SCHEMA);
        this.locks = new LockTemplate(
                new JoinedTransactions(database.dataSource(), manager, storage.claimStore("test")),
                storage.lockStore());
    }

    @BeforeAll
    static void createTables(TestDatabase database) {
        MigratedTables.in(database);
        database.jdbc().execute("create table visit (resource text, entered timestamptz, gone timestamptz)");
        database.jdbc().execute("create table effect (what text)");
    }

    @AfterEach
    void clear() {
        admin.execute("truncate visit, effect");
    }

    @Test
    @Tag("race")
    void ofManyOneAtATimeIsInside() {
        int visits = TestSize.pick(25, 500);
        ConcurrentCalls.run(8, thread -> {
                    for (int i = 0; i < visits; i++) {
                        String resource = "merchant-" + i % 2;
                        transaction.executeWithoutResult(status -> {
                            locks.acquire(NAME, resource, LONG);
                            visit(resource);
                        });
                    }
                    return null;
                })
                .requireAllSucceeded();

        assertThat(admin.queryForObject("select count(*) from visit", Integer.class))
                .isEqualTo(8 * visits);
        assertThat(overlaps("one.resource = other.resource"))
                .as("two at once on one resource")
                .isZero();
        assertThat(overlaps("one.resource <> other.resource"))
                .as("two at once on different resources")
                .isPositive();
    }

    /** Time passes inside, by the clock of the server. */
    private void visit(String resource) {
        jdbc.update(
                "with entered as materialized (select clock_timestamp() as at), inside as materialized ("
                        + "select at, pg_sleep(0.002) from entered)"
                        + " insert into visit select ?, at, clock_timestamp() from inside",
                resource);
    }

    private Integer overlaps(String condition) {
        return admin.queryForObject(
                "select count(*) from visit one join visit other on one.ctid < other.ctid and " + condition
                        + " and one.entered < other.gone and other.entered < one.gone",
                Integer.class);
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
    void theSameTransactionMayTakeItAgain() {
        transaction.executeWithoutResult(status -> {
            locks.acquire(NAME, DAY, LONG);
            locks.acquire(NAME, DAY, LONG);

            assertThat(locks.tryAcquire(NAME, DAY)).isTrue();
        });
    }

    @Test
    void whoSpeaksSqlAndWhoSpeaksJavaExcludeEachOther() throws SQLException {
        transaction.executeWithoutResult(status -> {
            locks.acquire(NAME, DAY, LONG);

            assertThat(admin.queryForObject(
                            "select pg_try_advisory_xact_lock(idempotency.idempotency_lock_id(?, ?))",
                            Boolean.class,
                            NAME,
                            DAY))
                    .isFalse();
            assertThat(admin.queryForObject(
                            "select count(*) from pg_locks where locktype = 'advisory' and objsubid = 1 and granted"
                                    + " and (classid::bigint << 32 | objid::bigint)"
                                    + " = idempotency.idempotency_lock_id(?, ?)",
                            Integer.class,
                            NAME,
                            DAY))
                    .isOne();
        });
        try (Connection holder = holding(NAME, DAY)) {
            assertThat(transaction.<Boolean>execute(status -> locks.tryAcquire(NAME, DAY)))
                    .isFalse();
            holder.rollback();
        }
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
    @Tag("race")
    void aKilledHolderLetsTheNextOneIn() throws SQLException {
        try (Connection holder = holding(NAME, DAY)) {
            execute(holder, "insert into effect values ('of the holder')");
            ConcurrentCalls<Void> waiting = ConcurrentCalls.start(
                    1,
                    () -> transaction.executeWithoutResult(status -> {
                        locks.acquire(NAME, DAY, LONG);
                        jdbc.update("insert into effect values ('of the next one')");
                    }));
            database.backends().awaitBlocked(1);
            database.backends().terminate(Backends.pidOf(holder));

            waiting.await().requireAllSucceeded();
        }

        assertThat(admin.queryForList("select what from effect", String.class)).containsExactly("of the next one");
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
    void theApplicationsOwnLockTimeoutMayEndTheWaitBefore() throws SQLException {
        try (Connection holder = holding(NAME, DAY)) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                        jdbc.execute("set local lock_timeout = '50ms'");
                        locks.acquire(NAME, DAY, LONG);
                    }))
                    .havingCause()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("55P03"));
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
    void somebodyElsesCancelIsNotTheEndOfTheWait() throws Exception {
        try (Connection holder = holding(NAME, DAY)) {
            CountDownLatch pidKnown = new CountDownLatch(1);
            int[] pid = new int[1];
            ConcurrentCalls<Void> waiting = ConcurrentCalls.start(
                    1,
                    () -> transaction.executeWithoutResult(status -> {
                        pid[0] = jdbc.queryForObject("select pg_backend_pid()", Integer.class);
                        pidKnown.countDown();
                        locks.acquire(NAME, DAY, LONG);
                    }));
            assertThat(pidKnown.await(10, TimeUnit.SECONDS)).isTrue();
            database.backends().awaitBlocked(1);
            database.backends().cancel(pid[0]);

            assertThat(waiting.await().failures())
                    .singleElement()
                    .isInstanceOf(QueryTimeoutException.class)
                    .isNotInstanceOf(LockNotAcquiredException.class);
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
    void aSavepointFromBeforeTakesTheRefusalBack() throws SQLException {
        TransactionTemplate nested = new TransactionTemplate(transaction.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        try (Connection holder = holding(NAME, DAY)) {
            transaction.executeWithoutResult(status -> {
                jdbc.update("insert into effect values ('without the lock')");
                assertThat(catchThrowable(() -> nested.executeWithoutResult(inner -> locks.acquire(NAME, DAY, SHORT))))
                        .isInstanceOf(LockNotAcquiredException.class);
            });
            holder.rollback();
        }

        assertThat(effects()).isOne();
    }

    @Test
    void aRollbackToASavepointReleasesWhatWasTakenAfterIt() {
        transaction.executeWithoutResult(status -> {
            locks.acquire(NAME, "before", LONG);
            Object savepoint = status.createSavepoint();
            locks.acquire(NAME, "after", LONG);
            assertThat(isFree("after")).isFalse();

            status.rollbackToSavepoint(savepoint);

            assertThat(isFree("after")).isTrue();
            assertThat(isFree("before")).isFalse();
        });
        assertThat(isFree("before")).isTrue();
    }

    private Boolean isFree(String resource) {
        return admin.queryForObject(
                "select pg_try_advisory_xact_lock(idempotency.idempotency_lock_id(?, ?))",
                Boolean.class,
                NAME,
                resource);
    }

    @Test
    @Tag("race")
    void twoThatWaitForEachOtherAreEndedByPostgres() throws Exception {
        CountDownLatch bothHaveOne = new CountDownLatch(2);
        CallResults<Void> results = ConcurrentCalls.run(2, thread -> {
            transaction.executeWithoutResult(status -> {
                locks.acquire(NAME, thread == 0 ? "a" : "b", LONG);
                bothHaveOne.countDown();
                await(bothHaveOne);
                locks.acquire(NAME, thread == 0 ? "b" : "a", LONG);
            });
            return null;
        });

        assertThat(results.failures())
                .singleElement()
                .isInstanceOf(PessimisticLockingFailureException.class)
                .satisfies(failure -> assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                cause -> assertThat(cause.getSQLState()).isEqualTo("40P01")));
    }

    @ParameterizedTest
    @ValueSource(ints = {TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE})
    @Tag("race")
    void anOlderSnapshotDoesNotSeeWhatTheOneBeforeHasCommitted(int isolation) throws SQLException {
        transaction.setIsolationLevel(isolation);
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

            assertThat(waiting.await().requireAllSucceeded())
                    .as("as documented")
                    .containsExactly(0);
        }
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
    void afterTheTransactionItIsRefused() {
        List<Throwable> refusals = new ArrayList<>();
        transaction.executeWithoutResult(status ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int how) {
                        refusals.add(catchThrowable(() -> locks.tryAcquire(NAME, DAY)));
                    }
                }));

        assertThat(refusals).singleElement().isInstanceOf(TransactionMismatchException.class);
    }

    @Test
    void theLockIsOneOfTheTransactionWhateverWrapsItsDataSource() {
        DelegatingDataSource wrapped = new DelegatingDataSource(database.dataSource());
        TransactionTemplate ofWrapper = new TransactionTemplate(new JdbcTransactionManager(wrapped));

        ofWrapper.executeWithoutResult(status -> {
            locks.acquire(NAME, DAY, LONG);
            Connection connection = DataSourceUtils.getConnection(wrapped);

            assertThat(admin.queryForList(
                            "select pid from pg_locks where locktype = 'advisory' and objsubid = 1", Integer.class))
                    .containsExactly(pidOf(connection));
        });
    }

    private static int pidOf(Connection connection) {
        try {
            return Backends.pidOf(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void namesThatCannotBeMeantAreRefusedBeforeTheDatabaseIsAsked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.tryAcquire(" ", DAY))
                .withMessage("The name of a lock is blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.tryAcquire("x".repeat(129), DAY))
                .withMessage("The name of a lock has 129 characters, more than 128");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.acquire(NAME, "", SHORT))
                .withMessage("The resource of a lock is blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.acquire(NAME, "x".repeat(256), SHORT))
                .withMessage("The resource of a lock has 256 characters, more than 255");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.acquire(NAME, "a\nb", SHORT))
                .withMessage("The resource of a lock contains U+000A, which is not printable");
        assertThatThrownBy(() -> locks.acquire(NAME, DAY, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The timeout of the lock 'settlement-close' is PT0S: wait for more than 0, or use"
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

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
