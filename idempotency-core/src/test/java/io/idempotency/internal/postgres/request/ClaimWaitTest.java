package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.postgres.Interleaved;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.transaction.TransactionState;
import io.idempotency.test.Backends;
import io.idempotency.test.CallResult;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.leased;
import static io.idempotency.internal.postgres.Requests.request;
import static io.idempotency.internal.postgres.Requests.waitingAtMost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/** A claim that meets the open transaction of another: how long it waits, and how the wait ends. */
@PostgresTest
class ClaimWaitTest {

    /** What a loaded machine may add to a wait. */
    private static final Duration TOLERANCE = Duration.ofSeconds(10);

    /** What rounding to milliseconds takes away, a millisecond a look. */
    private static final Duration ROUNDING = Duration.ofMillis(10);

    private static final String QUERY_CANCELED = "57014";
    private final TestDatabase database;
    private final Backends backends;
    private final JdbcTemplate admin;
    private Session holder;
    private Session waiter;

    ClaimWaitTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.backends = database.backends();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void open() throws SQLException {
        holder = new Session(database);
        waiter = new Session(database);
    }

    @AfterEach
    void close() throws SQLException {
        holder.close();
        waiter.close();
        admin.execute("truncate idempotency.idempotency_request");
    }

    @Test
    void waitsForTheOtherAndReplaysItsResponse() throws SQLException {
        holder.claimGranted(request("order-42"));

        ConcurrentCalls<ClaimResult> waiting = startClaim(request("order-42"));
        backends.awaitBlocked(waiter.connection());
        holder.complete(request("order-42"), "7").commit();

        assertThat(claimOf(waiting)).isEqualTo(ClaimResult.succeeded("7"));
        assertThat(waiter.state()).isEqualTo(TransactionState.MARKED);
    }

    @Test
    void isGrantedWhenTheOtherRollsBack() throws SQLException {
        holder.claimGranted(request("order-42"));

        ConcurrentCalls<ClaimResult> waiting = startClaim(request("order-42", "corrected payload"));
        backends.awaitBlocked(waiter.connection());
        holder.rollback();

        assertThat(claimOf(waiting)).isEqualTo(Requests.GRANTED);
    }

    @Test
    void isBoundWhileTheTableIsLocked() throws SQLException {
        holder.execute("lock table idempotency.idempotency_request in access exclusive mode");

        assertThat(waiter.claim(waitingAtMost(Duration.ofMillis(200), "order-42")))
                .extracting(ClaimResult::kind)
                .isEqualTo(Kind.IN_PROGRESS);
    }

    @Test
    void ofTheQueryWithoutATransactionIsBoundToo() throws SQLException {
        waiter.call(request("order-42"), "7");
        waiter.connection().setAutoCommit(true);
        holder.execute("lock table idempotency.idempotency_request in access exclusive mode");

        assertThatThrownBy(() -> waiter.findAnswered(waitingAtMost(Duration.ofMillis(200), "order-42")))
                .rootCause()
                .asInstanceOf(type(SQLException.class))
                .extracting(SQLException::getSQLState)
                .isEqualTo(QUERY_CANCELED);
    }

    @Test
    void collidesWithAClaimThatIsOverAndThatItsSnapshotShowsAsRunning() throws SQLException {
        ClaimRequest leased = leased("order-42");
        holder.claimGranted(leased).commit();
        assertThat(waiter.claim(request("order-42")).kind()).isEqualTo(Kind.LEASED);
        waiter.commit();
        waiter.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        waiter.execute("select 1 from idempotency.idempotency_request");
        holder.complete(new Completion(leased.fence(1), "7", null, null));
        holder.commit();

        assertThatThrownBy(() -> waiter.claim(request("order-42")))
                .rootCause()
                .asInstanceOf(type(SQLException.class))
                .extracting(SQLException::getSQLState)
                .isEqualTo("40001");
    }

    @Test
    void isGrantedWhenTheOtherIsKilled() throws SQLException {
        holder.claimGranted(request("order-42"));

        ConcurrentCalls<ClaimResult> waiting = startClaim(request("order-42"));
        backends.awaitBlocked(waiter.connection());
        backends.terminate(Backends.pidOf(holder.connection()));

        assertThat(claimOf(waiting)).isEqualTo(Requests.GRANTED);
    }

    @Test
    void endsAtItsBoundAndAbortsTheTransaction() {
        Duration bound = Duration.ofMillis(300);
        holder.claimGranted(request("order-42"));

        CallResult<ClaimResult> result =
                startClaim(waitingAtMost(bound, "order-42")).await().get(0);

        assertInProgress(result.value(), QUERY_CANCELED);
        assertThat(result.took()).isBetween(bound.minus(ROUNDING), bound.plus(TOLERANCE));
        assertThat(waiter.state()).isEqualTo(TransactionState.ABORTED);
    }

    /** The bound of a lock wait would begin anew with each of them: here it would end at 5,500 ms. */
    @Test
    void itsBoundIsForAllLockWaitsOfTheStatementTogether() throws SQLException {
        Duration first = Duration.ofMillis(2_500);
        Duration bound = Duration.ofSeconds(3);
        admin.execute("""
                create function pass_gate() returns trigger language plpgsql as $$ begin
                    perform pg_advisory_lock(42), pg_advisory_unlock(42);
                    return new;
                end $$;
                create trigger gate before insert on idempotency.idempotency_request
                    for each row execute function pass_gate()""");
        try (Session gate = new Session(database)) {
            holder.claimGranted(request("order-42"));
            gate.execute("select pg_advisory_xact_lock(42)");

            ConcurrentCalls<ClaimResult> waiting = startClaim(waitingAtMost(bound, "order-42"));
            backends.awaitBlocked(waiter.connection());
            gate.commitAfter(first);
            CallResult<ClaimResult> result = waiting.await().get(0);

            assertInProgress(result.value(), QUERY_CANCELED);
            assertThat(result.took())
                    .isBetween(bound.minus(ROUNDING), bound.plus(first).minusMillis(100));
        } finally {
            holder.rollback();
            waiter.rollback();
            admin.execute("drop function pass_gate cascade");
        }
    }

    /** The row that was waited for vanishes, and the key is taken by a third before it is claimed again. */
    @Test
    void itsBoundIsForAllLooksTogether() throws SQLException {
        Duration first = Duration.ofMillis(2_500);
        Duration bound = Duration.ofSeconds(3);
        ClaimRequest request = waitingAtMost(bound, "order-42");
        try (Session third = new Session(database);
                Session looker = new Session(Interleaved.beforeTheQuery(waiter.connection(), () -> {
                    admin.update("delete from idempotency.idempotency_request");
                    third.claimGranted(request("order-42"));
                }))) {
            holder.claimGranted(request).complete(request, "1");

            ConcurrentCalls<ClaimResult> waiting = ConcurrentCalls.start(1, () -> looker.claim(request));
            backends.awaitBlocked(waiter.connection());
            holder.commitAfter(first);
            CallResult<ClaimResult> result = waiting.await().get(0);

            assertInProgress(result.value(), QUERY_CANCELED);
            assertThat(result.took())
                    .isBetween(bound.minus(ROUNDING), bound.plus(first).minusMillis(100));
        }
    }

    private ConcurrentCalls<ClaimResult> startClaim(ClaimRequest request) {
        return ConcurrentCalls.start(1, () -> waiter.claim(request));
    }

    private static ClaimResult claimOf(ConcurrentCalls<ClaimResult> call) {
        return call.await().requireAllSucceeded().get(0);
    }

    private static void assertInProgress(ClaimResult claim, String sqlState) {
        assertThat(claim)
                .extracting(ClaimResult::cause, throwable(SQLException.class))
                .extracting(SQLException::getSQLState)
                .isEqualTo(sqlState);
    }
}
