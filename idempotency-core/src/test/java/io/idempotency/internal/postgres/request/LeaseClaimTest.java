package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.postgres.Interleaved;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.LEASE;
import static io.idempotency.internal.postgres.Requests.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.DURATION;

/** Claims that are committed before their effect: who takes them over, and whom a fence lets write. */
@Tag("citus")
@PostgresTest
class LeaseClaimTest {

    private static final ClaimResult TAKEN_OVER = ClaimResult.granted(Kind.GRANTED_RECOVERY, 2);

    private static final Duration A_MOMENT = Duration.ofMillis(1);

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private Session holder;
    private Session taker;

    LeaseClaimTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void open() throws SQLException {
        holder = new Session(database);
        taker = new Session(database);
    }

    @AfterEach
    void close() throws SQLException {
        holder.close();
        taker.close();
        admin.execute("truncate idempotency.idempotency_request");
    }

    @Test
    void aLeaseHoldsTheKeyUntilItExpires() throws SQLException {
        hold(leased("order-42"));

        assertThat(taker.claim(leased("order-42")))
                .extracting(ClaimResult::leaseRemaining, DURATION)
                .satisfies(remaining -> assertThat(remaining).isBetween(LEASE.dividedBy(2), LEASE));
        expireLeases();

        assertThat(taker.claim(leased("order-42"))).isEqualTo(TAKEN_OVER);
    }

    /** It changes no column that an index has. */
    @NotOnCitus
    @Test
    void theRecordOfAStepIsAHotUpdate() throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);

        for (int i = 0; i < 5; i++) {
            holder.store().recordStep(holder.connection(), request.fence(1), RecordedStep.succeeded("step-" + i, "1"));
        }

        assertThat(holder.query(
                        "select pg_stat_get_xact_tuples_hot_updated('idempotency.idempotency_request'::regclass)"))
                .isEqualTo("5");
        holder.commit();
    }

    @NotOnCitus
    @Test
    @Tag("race")
    void aLeaseBeginsWhenItIsGrantedAndNotBeforeTheWait() throws Exception {
        holder.claim(Requests.request("order-42"));
        ConcurrentCalls<ClaimResult> waiting = ConcurrentCalls.start(List.of(() -> taker.claim(leased("order-42"))));
        database.backends().awaitBlocked(taker.connection());
        String waitsLongEnough = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                + " and clock_timestamp() - query_start > interval '500 ms'";
        Awaitility.await().until(() -> admin.queryForObject(waitsLongEnough, Integer.class) == 1);
        holder.rollback();

        assertThat(waiting.await().requireAllSucceeded()).containsExactly(Requests.GRANTED);
        taker.commit();

        assertThat(admin.queryForObject(
                        "select extract(epoch from locked_until - updated_at) * 1000 >= ? and expires_at - updated_at >="
                                + " interval '7 days' - interval '200 ms'"
                                + " and updated_at - claimed_at > interval '400 ms' from idempotency.idempotency_request",
                        Boolean.class,
                        LEASE.toMillis() - 200))
                .isTrue();
    }

    /** However long the lease was: as if the claim were six days old, of the seven that its key is kept. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theRetentionOfALeaseCountsFromItsEnd(boolean succeeds) throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);
        admin.update("update idempotency.idempotency_request set claimed_at = now() - interval '6 days',"
                + " expires_at = now() + interval '1 day'");

        assertThat(
                        succeeds
                                ? holder.complete(new Completion(request.fence(1), "{}", null, null))
                                : holder.store()
                                        .fail(holder.connection(), request.fence(1), new Failure(true, "c", "m"), null))
                .isTrue();
        holder.commit();

        assertThat(admin.queryForObject(
                        "select expires_at - clock_timestamp() > interval '6 days 23 hours'"
                                + " from idempotency.idempotency_request",
                        Boolean.class))
                .isTrue();
    }

    /** The lease counts from the start of the wait, and is extended in another transaction than that of the claim. */
    @NotOnCitus
    @Test
    void aClaimThatIsTakenOverBeforeItIsExtendedIsNotGranted() throws SQLException {
        ClaimRequest waiting = leased("order-42", "payload", Duration.ofMillis(200));
        holder.claimGranted(Requests.request("order-42"));
        AtomicReference<ClaimResult> takeOver = new AtomicReference<>();
        Connection overtaken = Interleaved.beforeEach(database.connection(), sql -> {
            if (sql.contains("greatest(locked_until")) {
                takeOver.compareAndSet(
                        null, taker.store().claimAndCommit(taker.connection(), leased("order-42"), expected -> {}));
            }
        });

        try (Session second = new Session(overtaken)) {
            ConcurrentCalls<ClaimResult> claim = ConcurrentCalls.start(
                    1, () -> second.store().claimAndCommit(second.connection(), waiting, expected -> {}));
            database.backends().awaitBlocked(1);
            awaitServerTime(Duration.ofMillis(300));
            holder.rollback();

            assertThat(claim.await().values())
                    .singleElement()
                    .extracting(ClaimResult::kind)
                    .isEqualTo(Kind.LEASED);
        }
        assertThat(takeOver).hasValue(TAKEN_OVER);
    }

    @Test
    void whoComesBehindATakeOverThatHasExpiredTooTakesThatOneOver() throws SQLException {
        hold(leased("order-42"));
        expireLeases();
        AtomicInteger statements = new AtomicInteger();
        Connection overtaken = Interleaved.before(
                database.connection(),
                () -> {
                    if (statements.incrementAndGet() == 2) {
                        takeOverForAMoment("order-42");
                    }
                },
                () -> {});

        try (Session second = new Session(overtaken)) {
            assertThat(second.claim(leased("order-42"))).isEqualTo(ClaimResult.granted(Kind.GRANTED_RECOVERY, 3));
            assertThat(second.query("select attempt_count from idempotency.idempotency_request"))
                    .isEqualTo("3");
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheFenceOfTheClaimLetsAWriteThrough(Write write) throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(leased("order-42"));
        expireLeases();
        assertThat(taker.claim(request)).isEqualTo(TAKEN_OVER);
        taker.commit();
        UUID token = request.fence(2).token();

        assertThat(write.by(taker, new Fence(request.key(), 1, token))).isFalse();
        assertThat(write.by(taker, new Fence(request.key(), 3, token))).isFalse();
        assertThat(write.by(taker, new Fence(request.key(), 2, UUID.randomUUID())))
                .isFalse();
        assertThat(write.by(taker, new Fence(leased("order-43").key(), 2, token)))
                .isFalse();
        assertThat(write.by(taker, request.fence(2))).isTrue();
    }

    /** Citus has no shard for a condition that is never true. */
    @NotOnCitus
    @ParameterizedTest
    @EnumSource
    void aFenceWithoutATokenLetsNothingThrough(Write write) throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);

        assertThat(write.by(taker, new Fence(request.key(), 1, null))).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void afterItsEndAClaimLetsNothingThrough(Write write) throws SQLException {
        ClaimRequest completed = leased("completed");
        hold(completed);
        assertThat(Write.COMPLETE.by(taker, completed.fence(1))).isTrue();
        ClaimRequest failed = leased("failed");
        hold(failed);
        assertThat(Write.FAIL.by(taker, failed.fence(1))).isTrue();

        assertThat(write.by(taker, completed.fence(1))).isFalse();
        assertThat(write.by(taker, failed.fence(1))).isFalse();
    }

    @Test
    void anExtendedLeaseIsNotStaleAnyMore() throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);
        expireLeases();

        assertThat(holder.store().extendLease(holder.connection(), request.fence(1), LEASE))
                .isTrue();
        holder.commit();

        assertThat(taker.claim(leased("order-42")).kind()).isEqualTo(Kind.LEASED);
    }

    /** A trigger holds the other between what it has found and its update. */
    @NotOnCitus
    @Test
    @Tag("race")
    void aLeaseThatIsExtendedWhileAnotherTakesItOverStays() throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);
        expireLeases();
        admin.execute("""
                create function hold_update() returns trigger language plpgsql as
                'begin perform pg_advisory_xact_lock_shared(1) where current_setting(''application_name'') = ''taker'';
                return null; end';
                create trigger hold_update before update on idempotency.idempotency_request
                for each statement execute function hold_update()""");
        taker.execute("set application_name = 'taker'").commit();
        ConcurrentCalls<ClaimResult> taking;
        try (Session gate = new Session(database)) {
            gate.execute("select pg_advisory_xact_lock(1)");
            taking = ConcurrentCalls.start(1, () -> taker.claim(leased("order-42")));
            database.backends().awaitBlocked(taker.connection());

            assertThat(holder.store().extendLease(holder.connection(), request.fence(1), LEASE))
                    .isTrue();
            holder.commit();
        }

        assertThat(taking.await().requireAllSucceeded())
                .extracting(ClaimResult::kind)
                .containsExactly(Kind.LEASED);
        taker.rollback();
        admin.execute("drop function hold_update cascade");
    }

    /** An instance may stand still between its reclaim and its COMMIT. */
    @NotOnCitus
    @Test
    void aHolderWaitsForAnotherTransactionAtMostThirtySeconds() throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);
        admin.execute("""
                create function note_bound() returns trigger language plpgsql as
                'begin perform set_config(''test.bound'', current_setting(''statement_timeout''), false); return null; end';
                create trigger note_bound before update on idempotency.idempotency_request
                for each statement execute function note_bound()""");
        holder.execute("set statement_timeout = '1h'").commit();

        assertBounded(() -> holder.store().extendLease(holder.connection(), request.fence(1), LEASE));
        holder.commit();
        assertBounded(() -> holder.store()
                .recordStep(holder.connection(), request.fence(1), RecordedStep.succeeded("charge", "1")));
        assertThat(holder.query("show statement_timeout")).isEqualTo("1h");
        assertBounded(() -> holder.complete(new Completion(request.fence(1), "7", null, null)));
        assertThat(holder.query("show statement_timeout")).isEqualTo("1h");
        holder.rollback();
        assertBounded(() -> holder.store()
                .fail(holder.connection(), request.fence(1), new Failure(true, "declined", "no funds"), null));
        holder.commit();
        admin.execute("drop function note_bound cascade");
    }

    private void assertBounded(BooleanSupplier write) throws SQLException {
        assertThat(write.getAsBoolean()).isTrue();
        assertThat(holder.query("show test.bound")).matches("29\\d{3}ms|30s");
    }

    @NotOnCitus
    @Test
    void aClaimThatFindsItselfWaitsForAnotherOneOnlyUntilItsOwnWaitIsOver() throws SQLException {
        ClaimRequest request = leased("order-42", "payload", LEASE, Duration.ofSeconds(1));
        hold(request);
        expireLeases();
        assertThat(taker.claim(leased("order-42"))).isEqualTo(TAKEN_OVER);

        assertThat(holder.claim(request).kind()).isEqualTo(Kind.IN_PROGRESS);
    }

    @Test
    void aLeaseThatIsClaimedAgainWithItsTokenBeginsAgain() throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);
        expireLeases();

        assertThat(holder.claim(request)).isEqualTo(Requests.GRANTED);
        holder.commit();

        assertThat(taker.claim(leased("order-42")))
                .extracting(ClaimResult::leaseRemaining, DURATION)
                .satisfies(remaining -> assertThat(remaining).isBetween(LEASE.dividedBy(2), LEASE));
    }

    /** The steps are read after it. */
    @NotOnCitus
    @Test
    void aClaimThatExtendsItsLeaseKeepsTheTimeoutOfOtherStatements() throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);
        holder.execute("set statement_timeout = '1h'").commit();

        assertThat(holder.claim(request)).isEqualTo(Requests.GRANTED);

        assertThat(holder.query("show statement_timeout")).isEqualTo("1h");
    }

    @Test
    void aFailureThatMayBeRetriedLeavesTheKeyToAnotherPayload() throws SQLException {
        ClaimRequest failed = leased("order-42");
        hold(failed);
        assertThat(Write.FAIL.by(holder, failed.fence(1))).isTrue();
        ClaimRequest corrected = leased("order-42", "corrected payload", LEASE);

        assertThat(taker.claim(corrected)).isEqualTo(ClaimResult.granted(Kind.GRANTED_RETRY, 2));
        taker.complete(new Completion(corrected.fence(2), "7", null, null));
        taker.commit();

        assertThat(taker.claim(leased("order-42"))).isEqualTo(ClaimResult.of(Kind.KEY_REUSED));
        assertThat(taker.claim(leased("order-42", "corrected payload", LEASE))).isEqualTo(ClaimResult.succeeded("7"));
        assertThat(taker.query("select concat(failure_code, failure_message) from idempotency.idempotency_request"))
                .isEmpty();
    }

    @Test
    void aLookThatWantsToBeSureWaitsForARunningCompletion() throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);
        assertThat(holder.complete(new Completion(request.fence(1), "7", null, null)))
                .isTrue();

        ConcurrentCalls<Optional<StoredRequest>> looking =
                ConcurrentCalls.start(1, () -> taker.store().findSettled(taker.connection(), request.fence(1)));
        database.backends().awaitBlocked(taker.connection());
        holder.commit();

        assertThat(looking.await().requireAllSucceeded())
                .singleElement()
                .satisfies(found -> assertThat(found).map(StoredRequest::status).contains(RequestStatus.SUCCEEDED));
    }

    /** What only the holder of a claim may do. */
    enum Write {
        COMPLETE {
            @Override
            boolean on(Session session, Fence fence) {
                return session.complete(new Completion(fence, "7", null, null));
            }
        },
        FAIL {
            @Override
            boolean on(Session session, Fence fence) {
                return session.store().fail(session.connection(), fence, new Failure(false, "code", "message"), null);
            }
        },
        EXTEND_LEASE {
            @Override
            boolean on(Session session, Fence fence) {
                return session.store().extendLease(session.connection(), fence, LEASE);
            }
        };

        abstract boolean on(Session session, Fence fence);

        boolean by(Session session, Fence fence) throws SQLException {
            boolean written = on(session, fence);
            session.commit();
            return written;
        }
    }

    private void hold(ClaimRequest request) throws SQLException {
        holder.claimGranted(request).commit();
    }

    private void expireLeases() {
        admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 second'"
                + " where status = 'processing'");
    }

    private void takeOverForAMoment(String key) throws SQLException {
        assertThat(taker.claim(leased(key, "payload", A_MOMENT))).isEqualTo(TAKEN_OVER);
        taker.commit();
        awaitServerTime(A_MOMENT.multipliedBy(5));
    }

    private void awaitServerTime(Duration time) {
        admin.execute("select pg_sleep(" + time.toMillis() / 1_000.0 + ")");
    }
}
