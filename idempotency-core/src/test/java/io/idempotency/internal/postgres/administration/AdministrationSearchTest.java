package io.idempotency.internal.postgres.administration;

import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.intent;
import static io.idempotency.internal.postgres.Requests.leased;
import static io.idempotency.internal.postgres.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

/** What operators see of some requests, each in another state. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdministrationSearchTest {

    private static final Intent OF_A_TENANT = new Intent("refunds", "tenant-1", new IdempotencyKey("succeeded"));

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private final IdempotencyAdministration administration;
    private Session session;

    AdministrationSearchTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.administration = MigratedTables.in(database).administration(null);
    }

    /** From the oldest to the newest claim. */
    @BeforeAll
    void store() throws SQLException {
        session = new Session(database);
        claim(request("succeeded"));
        ClaimRequest ofTenant = request(OF_A_TENANT, "payload", Requests.PATIENT);
        claim(ofTenant);
        session.complete(request("succeeded"), "7");
        assertThat(session.complete(new Completion(ofTenant.fence(1), "8", "refund", "R1")))
                .isTrue();
        claim(request("abandoned"));
        claim(leased("stale"));
        claim(leased("running"));
        ClaimRequest failed = leased("failed");
        claim(failed);
        assertThat(session.store()
                        .fail(session.connection(), failed.fence(1), new Failure(true, "code", "message"), null))
                .isTrue();
        session.commit();
        admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 second',"
                + " attempt_count = 7 where idempotency_key = 'stale'");
        admin.update("update idempotency.idempotency_request set attempt_count = 3 where idempotency_key = 'running'");
    }

    @AfterAll
    void close() throws SQLException {
        session.close();
    }

    @Test
    void findsOneIntentWithAllThatIsKnownOfIt() {
        assertThat(administration.find(OF_A_TENANT)).hasValueSatisfying(found -> {
            assertThat(found.intent()).isEqualTo(OF_A_TENANT);
            assertThat(found.status()).isEqualTo(RequestStatus.SUCCEEDED);
            assertThat(found.attempt()).isEqualTo(1);
            assertThat(found.claimedBy()).isEqualTo("test-process");
            assertThat(found.hasResponse()).isTrue();
            assertThat(found.resultType()).isEqualTo("refund");
            assertThat(found.resultId()).isEqualTo("R1");
            assertThat(found.lockedUntil()).isNull();
            assertThat(Duration.between(found.claimedAt(), found.expiresAt())).isEqualTo(Duration.ofDays(7));
        });
    }

    @Test
    void findsTheLeaseAndTheFailure() {
        assertThat(administration.find(intent("running"))).hasValueSatisfying(found -> {
            assertThat(found.status()).isEqualTo(RequestStatus.PROCESSING);
            assertThat(found.hasResponse()).isFalse();
            assertThat(found.lockedUntil())
                    .isCloseTo(found.claimedAt().plus(Requests.LEASE), within(0, ChronoUnit.MILLIS));
        });
        assertThat(administration.find(intent("failed"))).hasValueSatisfying(found -> {
            assertThat(found.status()).isEqualTo(RequestStatus.FAILED_FINAL);
            assertThat(found.failureCode()).isEqualTo("code");
            assertThat(found.failureMessage()).isEqualTo("message");
        });
    }

    @Test
    void readsTheResponseThatRepeatsGet() {
        assertThat(administration.findResponse(OF_A_TENANT)).contains("8");
        assertThat(administration.findResponse(intent("running"))).isEmpty();
        assertThat(administration.findResponse(intent("unknown"))).isEmpty();
    }

    @Test
    void tellsWhatNobodyIsKnownToBeProcessing() {
        assertThat(administration.search(null, null, null, null, 100))
                .filteredOn(IdempotencyRecord::stale)
                .extracting(found -> found.intent().key().value())
                .containsExactly("stale", "abandoned");
    }

    @Test
    void asksInReadOnlyTransactionsThatEndSoon() {
        List<String> settings = new BoundedTransaction(database.dataSource())
                .query(jdbcClient -> jdbcClient
                        .sql(
                                "select current_setting(name) from unnest(array['transaction_read_only', 'statement_timeout']) as name")
                        .query(String.class)
                        .list());

        assertThat(settings).containsExactly("on", "5s");
    }

    @Test
    void findsNothingForAnUnknownIntentOrAnotherCaller() {
        assertThat(administration.find(intent("unknown"))).isEmpty();
        assertThat(administration.find(new Intent("refunds", "tenant-2", new IdempotencyKey("succeeded"))))
                .isEmpty();
    }

    @Test
    void searchesByScopeKeyAndStatusTheNewestClaimFirst() {
        assertThat(keys(administration.search(null, null, null, null, 100)))
                .containsExactly("failed", "running", "stale", "abandoned", "succeeded", "succeeded");
        assertThat(administration.search("refunds", null, null, null, 100))
                .extracting(IdempotencyRecord::intent)
                .containsExactly(OF_A_TENANT);
        assertThat(administration.search(null, null, "succeeded", null, 100))
                .extracting(IdempotencyRecord::intent)
                .containsExactly(OF_A_TENANT, intent("succeeded"));
        assertThat(keys(administration.search(null, null, null, RequestStatus.PROCESSING, 100)))
                .containsExactly("running", "stale", "abandoned");
        assertThat(administration.search("payments", "", "succeeded", RequestStatus.SUCCEEDED, 100))
                .extracting(IdempotencyRecord::intent)
                .containsExactly(intent("succeeded"));
        assertThat(administration.search("payments", "", "succeeded", RequestStatus.FAILED_FINAL, 100))
                .isEmpty();
    }

    @Test
    void returnsNoMoreThanItWasAskedFor() {
        assertThat(keys(administration.search(null, null, null, null, 2))).containsExactly("failed", "running");
        assertThat(keys(administration.findWithAttempts(1, 1))).containsExactly("stale");
    }

    @Test
    void findsStaleLeasesAndWhatWasAbandoned() {
        assertThat(keys(administration.findStaleLeases(100))).containsExactly("stale");
        assertThat(keys(administration.findAbandoned(100))).containsExactly("abandoned");
    }

    @Test
    void findsWhatWasAttemptedAgainAndAgain() {
        assertThat(keys(administration.findWithAttempts(3, 100))).containsExactly("stale", "running");
        assertThat(keys(administration.findWithAttempts(4, 100))).containsExactly("stale");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1_001})
    void aLimitOutOfRangeIsRefused(int limit) {
        assertThatIllegalArgumentException().isThrownBy(() -> administration.search(null, null, null, null, limit));
        assertThatIllegalArgumentException().isThrownBy(() -> administration.findStaleLeases(limit));
        assertThatIllegalArgumentException().isThrownBy(() -> administration.findAbandoned(limit));
        assertThatIllegalArgumentException().isThrownBy(() -> administration.findBlockedClaims(limit));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> administration.findWithAttempts(1, limit))
                .withMessageContaining("1 to 1000");
    }

    @Test
    void aNumberOfAttemptsThatEveryRequestHasIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> administration.findWithAttempts(0, 1));
    }

    private void claim(ClaimRequest request) {
        session.claimGranted(request);
    }

    private static List<String> keys(List<IdempotencyRecord> records) {
        return records.stream().map(record -> record.intent().key().value()).toList();
    }
}
