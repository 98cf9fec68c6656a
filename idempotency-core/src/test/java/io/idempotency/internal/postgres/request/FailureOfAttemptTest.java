package io.idempotency.internal.postgres.request;

import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.ClaimStore.FailureRecord;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.leased;
import static io.idempotency.internal.postgres.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

/** What the record of an attempt that was rolled back may overwrite: the record of an earlier one, and nothing else. */
@Tag("citus")
@PostgresTest
class FailureOfAttemptTest {

    private static final String ROW =
            "select concat_ws(' ', status, attempt_count, failure_code) from idempotency.idempotency_request";

    private final TestDatabase database;
    private Session session;

    FailureOfAttemptTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void open() throws SQLException {
        session = new Session(database);
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
        database.jdbc().execute("truncate idempotency.idempotency_request");
    }

    @ParameterizedTest
    @CsvSource({"false, failed_retryable 1 first", "true, failed_final 1 first"})
    void isRecordedWhereNothingIs(boolean isFinal, String row) throws SQLException {
        assertThat(record(1, isFinal, "first")).isTrue();

        assertThat(session.query(ROW)).isEqualTo(row);
    }

    @ParameterizedTest
    @CsvSource({"false, failed_retryable 2 second", "true, failed_final 2 second"})
    void overwritesAnEarlierAttempt(boolean isFinal, String row) throws SQLException {
        assertThat(record(1, false, "first")).isTrue();

        assertThat(record(2, isFinal, "second")).isTrue();

        assertThat(session.query(ROW)).isEqualTo(row);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void leavesTheSameAttemptAndALaterOneAlone(int attempt) throws SQLException {
        assertThat(record(1, false, "first")).isTrue();
        assertThat(record(2, false, "second")).isTrue();

        assertThat(record(attempt, true, "late")).isFalse();

        assertThat(session.query(ROW)).isEqualTo("failed_retryable 2 second");
    }

    @Test
    void leavesASuccessAlone() throws SQLException {
        session.call(request("order-42"), "7");

        assertThat(record(2, true, "late")).isFalse();

        assertThat(session.query(ROW)).isEqualTo("succeeded 1");
    }

    @Test
    void leavesAFinalFailureAlone() throws SQLException {
        assertThat(record(1, true, "first")).isTrue();

        assertThat(record(2, true, "late")).isFalse();
        assertThat(record(2, false, "late")).isFalse();

        assertThat(session.query(ROW)).isEqualTo("failed_final 1 first");
    }

    @Test
    void leavesTheRunningClaimOfAnotherAlone() throws SQLException {
        session.claimGranted(leased("order-42")).commit();

        assertThat(record(2, true, "late")).isFalse();

        assertThat(session.query(ROW)).isEqualTo("processing 1");
    }

    @Test
    void waitsForAnotherThatIsSucceedingAndLeavesItAlone() throws SQLException {
        ClaimRequest other = request("order-42");
        try (Session succeeding = new Session(database)) {
            succeeding.claimGranted(other);
            ConcurrentCalls<Boolean> recording = ConcurrentCalls.start(1, () -> record(1, true, "late"));
            database.backends().awaitBlocked(session.connection());
            succeeding.complete(other, "7").commit();

            assertThat(recording.await().requireAllSucceeded()).containsExactly(false);
        }

        assertThat(session.query(ROW)).isEqualTo("succeeded 1");
    }

    @Test
    void bindsTheKeyToThePayloadThatFailedForGood() throws SQLException {
        ClaimRequest retried = leased("order-42", "first payload", Requests.LEASE);
        session.claimGranted(retried);
        Fence fence = retried.fence(1);
        assertThat(session.store().fail(session.connection(), fence, new Failure(false, "first", ""), null))
                .isTrue();
        assertThat(record(2, true, "second")).isTrue();

        assertThat(session.claim(request("order-42", "payload")).kind()).isEqualTo(Kind.FAILED_FINALLY);
        assertThat(session.claim(request("order-42", "first payload")).kind()).isEqualTo(Kind.KEY_REUSED);
        assertThat(session.complete(new Completion(fence, "7", null, null))).isFalse();
    }

    @Test
    void endsACallThatWasToBeResumed() throws SQLException {
        ClaimRequest resumed = leased("order-42", "payload", Requests.LEASE);
        session.claimGranted(resumed);
        assertThat(session.store()
                        .fail(
                                session.connection(),
                                resumed.fence(1),
                                new Failure(false, "first", ""),
                                Duration.ofHours(1)))
                .isTrue();
        assertThat(session.query("select locked_until is not null from idempotency.idempotency_request"))
                .isEqualTo("t");

        assertThat(record(2, true, "second")).isTrue();

        assertThat(session.query("select locked_until is null from idempotency.idempotency_request"))
                .isEqualTo("t");
    }

    @Test
    void aLeaseThatIsGivenUpIsHeldByNobodyAndWaitsForAnOperator() throws SQLException {
        ClaimRequest given = leased("order-42", "payload", Requests.LEASE);
        Fence fence = given.fence(1);
        Failure reason = new Failure(false, "abandoned", "given up after 10 attempts");
        session.claimGranted(given);
        assertThat(session.store().abandon(session.connection(), fence, reason)).isTrue();
        session.commit();

        assertThat(session.claim(request("order-42", "payload"))).isEqualTo(ClaimResult.abandoned(reason));
        assertThat(session.claim(leased("order-42", "payload", Requests.LEASE)))
                .isEqualTo(ClaimResult.abandoned(reason));
        assertThat(session.claim(given)).isEqualTo(ClaimResult.abandoned(reason));
        assertThat(session.claim(request("order-42", "another payload")).kind()).isEqualTo(Kind.KEY_REUSED);
        assertThat(session.store().extendLease(session.connection(), fence, Requests.LEASE))
                .isFalse();
        assertThat(record(2, true, "second")).isFalse();
        assertThat(session.complete(new Completion(fence, "7", null, null))).isFalse();
    }

    private boolean record(int attempt, boolean isFinal, String code) throws SQLException {
        ClaimRequest request = request("order-42");
        boolean recorded = session.store()
                .recordFailure(
                        session.connection(),
                        new FailureRecord(
                                request.key(), attempt, Duration.ofDays(1), new Failure(isFinal, code, "message")));
        session.commit();
        return recorded;
    }
}
