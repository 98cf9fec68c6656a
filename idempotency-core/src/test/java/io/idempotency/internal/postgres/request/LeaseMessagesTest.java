package io.idempotency.internal.postgres.request;

import java.sql.SQLException;
import java.util.List;

import org.assertj.core.api.Condition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.AutoSave;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.ClaimStore.FailureRecord;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.postgres.EachDriverMode;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.internal.transaction.TransactionState;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.RoundTripCounter;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.LEASE;
import static io.idempotency.internal.postgres.Requests.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The transactions of a lease, each of which is one message, however the driver sends it and whatever the session's defaults are. */
@PostgresTest
@EachDriverMode
class LeaseMessagesTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    private static final RecordedStep STEP = RecordedStep.succeeded("charge", "1");

    private static final Failure FAILURE = new Failure(false, "code", "message");

    @Parameter
    private String driverSetting;

    private final TestDatabase database;

    private RoundTripCounter counter;

    private Session session;

    private RequiresNewTransaction transactions;

    LeaseMessagesTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
        database.jdbc().execute("""
                create table effect (key text);
                create table bound_of_commit (bound text);
                create function note_bound() returns trigger language plpgsql as $$ begin
                    insert into bound_of_commit
                    values (concat_ws(' ', current_setting('statement_timeout'), current_setting('transaction_timeout', true)));
                    return null;
                end $$;
                create constraint trigger note_bound after insert or update on idempotency.idempotency_request
                deferrable initially deferred for each row execute function note_bound()""");
    }

    @BeforeEach
    void open() throws SQLException {
        counter = RoundTripCounter.of(database);
        session = new Session(EachDriverMode.Connections.open(counter.jdbcUrl(), database, driverSetting));
        session.connection().setAutoCommit(true);
        transactions =
                RequiresNewTransaction.readCommittedOn(new SingleConnectionDataSource(session.connection(), true));
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
        counter.close();
        database.jdbc().execute("truncate effect, bound_of_commit, idempotency.idempotency_request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void eachIsOneRoundTripAndLeavesTheSessionAsItWas(String isolation) throws Exception {
        String settings = settings(isolation);
        for (int call = 0; call < CALLS; call++) {
            ClaimRequest request = leased("key-" + call);

            assertOneRoundTrip("claim", () -> assertThat(claim(request)).isEqualTo(Requests.GRANTED));
            assertOneRoundTrip("step", () -> assertThat(recordStep(request)).isTrue());
            assertOneRoundTrip("extension", () -> assertThat(extend(request)).isTrue());
            assertOneRoundTrip("failure", () -> assertThat(fail(request)).isTrue());
            assertThat(counter.count(
                            () -> assertThat(claim(request)).isEqualTo(ClaimResult.granted(Kind.GRANTED_RETRY, 2))))
                    .as("insert, query and reclaim")
                    .isEqualTo(3);
            assertOneRoundTrip(
                    "completion", () -> assertThat(complete(request, 2)).isTrue());
            assertThat(counter.count(() -> assertThat(claim(request).kind()).isEqualTo(Kind.SUCCEEDED)))
                    .as("insert and query of a duplicate")
                    .isEqualTo(2);
            String failed = "failed-" + call;
            assertOneRoundTrip(
                    "record of a failure",
                    () -> assertThat(recordFailure(failed)).isTrue());

            assertThat(session.state()).isEqualTo(TransactionState.ENDED);
            assertThat(settings(null)).isEqualTo(settings);
        }
    }

    /** In another isolation level the wait for the first claim would end with a serialization failure. */
    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    @Tag("race")
    void aClaimThatWaitsSeesWhatItHasWaitedFor(String isolation) throws Exception {
        settings(isolation);
        try (Session holder = new Session(database)) {
            holder.claim(leased("key"));
            ConcurrentCalls<ClaimResult> waiting = ConcurrentCalls.start(1, () -> claim(leased("key")));
            database.backends().awaitBlocked(session.connection());
            holder.commit();

            assertThat(waiting.await().requireAllSucceeded())
                    .extracting(ClaimResult::kind)
                    .containsExactly(Kind.LEASED);
        }
    }

    /** Drivers before 42.7.13 set one before the isolation level, which PostgreSQL refuses then. */
    @Test
    void theDriverSetsNoSavepoints() {
        assertThat(transactions.<AutoSave>send(connection -> autosave())).isEqualTo(AutoSave.NEVER);
    }

    private AutoSave autosave() {
        try {
            return session.connection().unwrap(PGConnection.class).getAutosave();
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /**
     * A COMMIT that waits for a standby must not be given up, because it would be acknowledged then. A limit of the role ends only
     * the transactions of the application.
     */
    @Test
    void neitherTheBoundOfAMessageNorALimitOfTheRoleBoundsItsCommit() throws Exception {
        settings("read committed");
        session.execute("select set_config(name, '1min', false) from pg_settings where name = 'transaction_timeout'");
        ClaimRequest request = leased("key");
        claim(request);
        recordStep(request);
        extend(request);
        fail(request);
        claim(request);
        complete(request, 2);
        ClaimRequest within = leased("within");
        claim(within);
        session.connection().setAutoCommit(false);
        session.store().completeWithCommit(session.connection(), new Completion(within.fence(1), "1", null, null));
        session.connection().setAutoCommit(true);
        recordFailure("failed");

        assertThat(database.jdbc().queryForList("select bound from bound_of_commit", String.class))
                .hasSize(9)
                .allMatch(bound -> bound.startsWith("7s"))
                .areAtMost(
                        1, new Condition<>(bound -> bound.endsWith("1min"), "within a transaction of the application"));
    }

    @Test
    void whoDoesNotHoldTheLeaseChangesNothing() throws Exception {
        ClaimRequest holder = leased("key");
        claim(holder);
        ClaimRequest other = leased("key");
        List<String> before =
                database.jdbc().queryForList("select r::text from idempotency.idempotency_request r", String.class);

        for (int call = 0; call < CALLS; call++) {
            assertThat(complete(other, 1)).isFalse();
            assertThat(complete(holder, 2)).isFalse();
            assertThat(fail(other)).isFalse();
            assertThat(recordStep(other)).isFalse();
            assertThat(extend(other)).isFalse();
            assertThat(session.state()).isEqualTo(TransactionState.ENDED);
        }

        assertThat(database.jdbc().queryForList("select r::text from idempotency.idempotency_request r", String.class))
                .isEqualTo(before);
    }

    @Test
    void theEffectOfWhoDoesNotHoldTheLeaseIsNotCommitted() throws Exception {
        claim(leased("key"));
        ClaimRequest other = leased("key");
        session.connection().setAutoCommit(false);

        for (int call = 0; call < CALLS; call++) {
            session.execute("insert into effect values ('key')");
            assertThatExceptionOfType(DataAccessException.class)
                    .isThrownBy(() -> session.store()
                            .completeWithCommit(session.connection(), new Completion(other.fence(1), "1", null, null)))
                    .satisfies(refused -> assertThat(SqlStates.isNotAsRequired(SqlStates.of(refused)))
                            .isTrue());
            session.rollback();
        }

        assertThat(database.jdbc().queryForObject("select count(*) from effect", Integer.class))
                .isZero();
    }

    private void assertOneRoundTrip(String message, ConcurrentCalls.Action action) throws Exception {
        assertThat(counter.count(action)).as(message).isEqualTo(1);
    }

    private ClaimResult claim(ClaimRequest request) {
        return transactions.send(connection -> session.store().claimAndCommit(connection, request, expected -> {}));
    }

    private boolean recordStep(ClaimRequest request) {
        return transactions.commit(
                connection -> session.store().recordStepAndCommit(connection, request.fence(1), STEP));
    }

    private boolean extend(ClaimRequest request) {
        return transactions.commit(connection -> session.store().extendLease(connection, request.fence(1), LEASE));
    }

    private boolean fail(ClaimRequest request) {
        return transactions.commit(connection -> session.store().fail(connection, request.fence(1), FAILURE, null));
    }

    private boolean recordFailure(String key) {
        FailureRecord record = new FailureRecord(Requests.request(key).key(), 1, LEASE, FAILURE);
        return transactions.commit(connection -> session.store().recordFailure(connection, record));
    }

    private boolean complete(ClaimRequest request, int attempt) {
        return transactions.commit(connection ->
                session.store().completeAndCommit(connection, new Completion(request.fence(attempt), "1", null, null)));
    }

    /** Returns what must be the same after each message. */
    private String settings(String isolation) throws Exception {
        if (isolation != null) {
            session.execute("set default_transaction_isolation = '" + isolation + "'");
            session.execute("set statement_timeout = '7s'");
        }
        return List.of(
                        session.query("select current_setting('default_transaction_isolation')"),
                        session.query("select current_setting('statement_timeout')"),
                        autosave(),
                        session.connection().getAutoCommit())
                .toString();
    }
}
