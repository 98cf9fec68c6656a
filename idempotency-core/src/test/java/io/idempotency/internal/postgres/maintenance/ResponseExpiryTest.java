package io.idempotency.internal.postgres.maintenance;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyRecord;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.postgres.request.RequestSql;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.internal.retention.PurgeReport.End;
import io.idempotency.internal.retention.PurgeSettings;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Responses that go before their keys. */
@Tag("citus")
@PostgresTest
class ResponseExpiryTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private static final String DUE = "update idempotency.idempotency_request"
            + " set response_expires_at = now() - interval '1 second' where response_expires_at is not null";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final PostgresStorage storage;

    ResponseExpiryTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.storage = MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA);
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void clear() {
        admin.execute("truncate idempotency.idempotency_request, idempotency.idempotency_request_archive,"
                + " idempotency.purge_lease");
    }

    @Test
    void theKeyStaysAndARepeatIsTold() throws Exception {
        call("due");
        admin.execute(DUE);
        call("later");

        assertThat(purge(false).run()).isEqualTo(new PurgeReport(Map.of("response_body", 1L), End.NOTHING_LEFT));

        assertThat(claim("due").kind()).isEqualTo(Kind.RESPONSE_EXPIRED);
        assertThat(claim("later")).isEqualTo(ClaimResult.succeeded("1"));
        assertThat(keys()).containsExactly("due", "later");
        assertThat(record("due").hasResponse()).isFalse();
        assertThat(purge(false).run().total()).as("cleared once").isZero();
    }

    @Test
    void untilThePurgeComesByTheResponseIsReplayed() throws SQLException {
        call("due");
        admin.execute(DUE);

        assertThat(claim("due")).isEqualTo(ClaimResult.succeeded("1"));
    }

    @Test
    void withoutATimeOfItsOwnAResponseGoesWithItsKey() throws Exception {
        try (Session session = new Session(database.connection())) {
            session.call(Requests.request("key"), "1");
            session.call(Requests.withoutResponse("void"), null);
        }

        assertThat(admin.queryForList(
                        "select response_expires_at is null from idempotency.idempotency_request", Boolean.class))
                .containsOnly(true);
        assertThat(purge(false).run().total()).isZero();
        assertThat(claim("key")).isEqualTo(ClaimResult.succeeded("1"));
    }

    @Test
    void theTimeIsCountedFromTheClaim() throws SQLException {
        call("key");

        assertThat(secondsFromNow("key")).isCloseTo(3_600, within(60));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status = 'processing', locked_until = null",
                "status = 'processing', locked_until = now() + interval '1 hour'",
                "status = 'processing', locked_until = now() - interval '1 hour'",
                "status = 'failed_final', failure_code = 'no_funds'",
                "status = 'failed_retryable', failure_code = 'no_funds'"
            })
    void onlyWhatHasSucceededIsCleared(String state) throws Exception {
        call("key");
        admin.execute(DUE);
        admin.execute("update idempotency.idempotency_request set " + state);
        Map<String, Object> before = row();

        assertThat(purge(false).run().total()).isZero();

        assertThat(row()).isEqualTo(before);
        assertThat(storage.statistics().sample(1).oldestExpired()).containsEntry("idempotency_request", Duration.ZERO);
    }

    @Test
    void whatHasExpiredWithItsKeyIsDeletedAndNotCleared() throws Exception {
        call("key");
        admin.execute(DUE);
        admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 second'");

        assertThat(responses().deleteExpired(10)).hasValue(0);
        admin.execute("truncate idempotency.purge_lease");
        assertThat(purge(false).run().deleted()).isEqualTo(Map.of("idempotency_request", 1L));
    }

    @Test
    void batchesAreBoundedAndCountedApartFromRows() throws Exception {
        for (int i = 0; i < 7; i++) {
            call("due-" + i);
        }
        call("expired");
        admin.execute(DUE);
        admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 second'"
                + " where idempotency_key = 'expired'");
        ExpiringTable responses = responses();
        assertThat(responses.deleteExpired(3)).hasValue(3);
        admin.execute("truncate idempotency.purge_lease");

        assertThat(purge(false).run().deleted()).isEqualTo(Map.of("idempotency_request", 1L, "response_body", 4L));
    }

    @NotOnCitus
    @Test
    void aRowThatIsLockedIsLeftForLaterWithoutWaiting() throws Exception {
        call("locked");
        call("free");
        admin.execute(DUE);
        try (Session locking = new Session(database.connection())) {
            locking.execute(
                    "select 1 from idempotency.idempotency_request where idempotency_key = 'locked' for key share");
            ExpiringTable responses = responses();

            assertThat(ConcurrentCalls.start(1, () -> responses.deleteExpired(100))
                            .await(Duration.ofSeconds(10))
                            .requireAllSucceeded())
                    .containsExactly(OptionalInt.of(1));
        }
        assertThat(claim("locked")).isEqualTo(ClaimResult.succeeded("1"));
    }

    @Test
    @Tag("full")
    void theIndexIsUsedAndHoldsWhatIsToComeOnly() throws Exception {
        try (Session session = new Session(database.connection())) {
            for (int i = 0; i < 500; i++) {
                session.call(Requests.forgettingItsResponse("due-" + i, HOUR), "1");
            }
        }
        admin.execute(DUE);
        admin.execute("analyze idempotency.idempotency_request");
        assertThat(admin.queryForList(
                        "explain " + RequestSql.FIND_OLDEST_EXPIRED_RESPONSE.replace("{schema}", "idempotency"),
                        String.class))
                .anyMatch(line -> line.contains("idempotency_request_response_expires_at"));

        purge(false).run();
        admin.execute("vacuum analyze idempotency.idempotency_request");

        assertThat(admin.queryForObject(
                        "select reltuples::int from pg_class"
                                + " where oid = 'idempotency.idempotency_request_response_expires_at'::regclass",
                        Integer.class))
                .isZero();
    }

    @Test
    void theArchiveGetsTheKeyAtItsExpiryWithoutTheResponse() throws Exception {
        call("key");
        admin.execute(DUE);
        assertThat(purge(true).run().deleted()).isEqualTo(Map.of("response_body", 1L));
        assertThat(archived()).isEmpty();

        admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 second'");
        assertThat(purge(true).run().deleted()).isEqualTo(Map.of("idempotency_request", 1L));

        assertThat(archived()).containsExactly("key without");
    }

    private List<String> archived() {
        return admin.queryForList(
                "select idempotency_key || case when response_body is null then ' without' else ' with' end"
                        + " from idempotency.idempotency_request_archive",
                String.class);
    }

    @Test
    void theOldestIsTold() throws SQLException {
        call("key");
        assertThat(storage.statistics().sample(1).oldestExpired()).containsEntry("idempotency_request", Duration.ZERO);

        admin.execute("update idempotency.idempotency_request set response_expires_at = now() - interval '2 hours'");

        assertThat(storage.statistics()
                        .sample(1)
                        .oldestExpired()
                        .get("idempotency_request")
                        .toSeconds())
                .isCloseTo(7_200, within(60L));
    }

    @Test
    void aLeaseThatIsExtendedExtendsTheTime() throws SQLException {
        ClaimRequest leased = leased("key", Duration.ofMinutes(1));
        try (Session session = new Session(database.connection())) {
            session.claimGranted(leased).commit();
            assertThat(session.store().extendLease(session.connection(), leased.fence(1), Duration.ofMinutes(31)))
                    .isTrue();
            session.commit();
            assertThat(secondsFromNow("key")).isCloseTo(5_400, within(60));

            session.complete(new Completion(leased.fence(1), "1", null, null));
            session.commit();
            assertThat(secondsFromNow("key")).isCloseTo(5_400, within(60));
        }
    }

    @Test
    void aTakeOverCountsAnew() throws SQLException {
        try (Session session = new Session(database.connection())) {
            session.claimGranted(leased("key", Duration.ofMinutes(1))).commit();
            admin.execute("update idempotency.idempotency_request set locked_until = now() - interval '1 minute',"
                    + " response_expires_at = now() - interval '1 minute'");
            assertThat(session.claim(leased("key", Duration.ofMinutes(1))))
                    .isEqualTo(ClaimResult.granted(Kind.GRANTED_RECOVERY, 2));
            session.commit();
        }

        assertThat(secondsFromNow("key")).isCloseTo(3_600, within(60));
    }

    @Test
    void aFailureHasNoResponseToClear() throws SQLException {
        ClaimRequest leased = leased("key", Duration.ofMinutes(1));
        try (Session session = new Session(database.connection())) {
            session.claimGranted(leased).commit();
            assertThat(session.store()
                            .fail(session.connection(), leased.fence(1), new Failure(true, "no_funds", "empty"), null))
                    .isTrue();
            session.commit();
        }

        assertThat(row()).containsEntry("response_expires_at", null);
    }

    @NotOnCitus
    @Test
    void anOperatorsCompletionCountsAnewAndHisReleaseHasNone() throws SQLException {
        try (Session session = new Session(database.connection())) {
            session.claimGranted(leased("completed", Duration.ofMinutes(1))).commit();
            session.claimGranted(leased("released", Duration.ofMinutes(1))).commit();
        }
        admin.execute("update idempotency.idempotency_request set locked_until = now() - interval '1 day',"
                + " claimed_at = claimed_at - interval '2 days', expires_at = expires_at - interval '2 days',"
                + " response_expires_at = response_expires_at - interval '2 days'");
        IdempotencyAdministration.Reason reason = new IdempotencyAdministration.Reason("me", "looked");

        storage.administration(null).completeStale(Requests.intent("completed"), "7", reason);
        storage.administration(null).releaseStale(Requests.intent("released"), reason);

        assertThat(secondsFromNow("completed")).isCloseTo(3_600, within(60));
        assertThat(secondsFromNow("released")).isNull();
    }

    private static ClaimRequest leased(String key, Duration lease) {
        ClaimRequest leased = Requests.leased(key, "payload", lease);
        return new ClaimRequest(leased.key(), leased.retention(), HOUR, leased.waitLimit(), false, leased.lease());
    }

    private void call(String key) throws SQLException {
        try (Session session = new Session(database.connection())) {
            session.call(Requests.forgettingItsResponse(key, HOUR), "1");
        }
    }

    private ClaimResult claim(String key) throws SQLException {
        try (Session session = new Session(database.connection())) {
            return session.claim(Requests.forgettingItsResponse(key, HOUR));
        }
    }

    private Purge purge(boolean archive) {
        return new Purge(
                storage.purgeStore("test", archive),
                new PurgeSettings(3, Duration.ofMillis(1), Duration.ofMinutes(1)),
                new IdempotencyListener() {});
    }

    private ExpiringTable responses() {
        return storage.purgeStore("test", false).begin(Duration.ofMinutes(1)).tables().stream()
                .filter(table -> table.name().equals("response_body"))
                .findFirst()
                .orElseThrow();
    }

    private IdempotencyRecord record(String key) {
        return storage.administration(null).find(Requests.intent(key)).orElseThrow();
    }

    private Integer secondsFromNow(String key) {
        return admin.queryForObject(
                "select extract(epoch from response_expires_at - now())::int from idempotency.idempotency_request"
                        + " where idempotency_key = ?",
                Integer.class,
                key);
    }

    private Map<String, Object> row() {
        return admin.queryForMap(
                "select to_jsonb(r) - 'response_body' as columns, response_body::text, xmin::text as version"
                        + ", response_expires_at from idempotency.idempotency_request as r");
    }

    private List<String> keys() {
        return admin.queryForList(
                "select idempotency_key from idempotency.idempotency_request order by 1", String.class);
    }
}
