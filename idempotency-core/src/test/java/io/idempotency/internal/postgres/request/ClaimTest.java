package io.idempotency.internal.postgres.request;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.transaction.TransactionState;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.request;
import static io.idempotency.internal.postgres.Requests.withoutResponse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a claim finds, and what is in its row then. Waiting is the matter of {@link ClaimWaitTest}. */
@Tag("citus")
@PostgresTest
class ClaimTest {

    private final TestDatabase database;
    private final JdbcTemplate admin;
    private Session session;

    ClaimTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void open() throws SQLException {
        session = new Session(database.dataSource());
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
        admin.execute("truncate idempotency.idempotency_request");
    }

    @Nested
    class OfANewKey {

        @Test
        void isGrantedAndTheRowTellsWhatIsKnown() throws SQLException {
            ClaimRequest request = Requests.of(
                    new Intent("payments", "acme", new IdempotencyKey("order-42")),
                    Requests.fingerprint("payload"),
                    Duration.ofHours(36),
                    null,
                    Requests.PATIENT,
                    false,
                    null);

            session.claimGranted(request).commit();

            Map<String, Object> row = row(request);
            assertThat(row)
                    .containsEntry("status", "processing")
                    .containsEntry("idempotency_scope", "payments")
                    .containsEntry("caller", "acme")
                    .containsEntry("idempotency_key", "order-42")
                    .containsEntry("request_hash", request.fingerprint().hash())
                    .containsEntry("hash_version", 1)
                    .containsEntry("claimed_by", "test-process")
                    .containsEntry("attempt_count", 1)
                    .containsEntry("response_body", null)
                    .containsEntry("locked_until", null)
                    .containsEntry("claim_token", null);
            assertThat(admin.queryForObject(
                            "select expires_at = claimed_at + interval '36 hours' and claimed_at = created_at"
                                    + " and updated_at = created_at and created_at between now() - interval '1 minute'"
                                    + " and now() from idempotency.idempotency_request",
                            Boolean.class))
                    .isTrue();
        }

        @Test
        void thatHasNoResponseIsASuccessAtOnce() throws SQLException {
            ClaimRequest request = withoutResponse("order-42");

            session.claimGranted(request).commit();

            assertThat(session.claim(request)).isEqualTo(ClaimResult.succeeded("null"));
        }

        @Test
        void goesToTheSchemaThatIsConfigured() throws SQLException {
            MigratedTables.in(database.dataSource(), "elsewhere");
            try (Session elsewhere = new Session(database.dataSource().getConnection(), "elsewhere")) {
                elsewhere.claimGranted(request("order-42")).commit();
            }

            assertThat(count()).isZero();
            assertThat(admin.queryForObject("select count(*) from elsewhere.idempotency_request", Long.class))
                    .isEqualTo(1);
        }
    }

    @Nested
    class OfAKeyThatSucceeded {

        private final ClaimRequest request = request("order-42");

        @BeforeEach
        void succeed() throws SQLException {
            session.claimGranted(request).complete(request, "{\"b\": 1E+2, \"a\":1.00}");
            session.commit();
        }

        @Test
        void givesTheStoredTextUnchanged() {
            assertThat(session.claim(request)).isEqualTo(ClaimResult.succeeded("{\"b\": 1E+2, \"a\":1.00}"));
        }

        @Test
        void doesNotComparePayloadsOfDifferentAlgorithms() {
            ClaimRequest ofTomorrow = Requests.of(
                    request.intent(),
                    new Fingerprint(2, Requests.fingerprint("hashed otherwise").hash()),
                    Duration.ofDays(1),
                    null,
                    Requests.PATIENT,
                    false,
                    null);

            assertThat(session.claim(ofTomorrow).kind()).isEqualTo(Kind.SUCCEEDED);
        }

        @Test
        void replaysAnExpiredRowThatIsNotPurgedYet() {
            admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 year'");

            assertThat(session.claim(request).kind()).isEqualTo(Kind.SUCCEEDED);
        }

        @Test
        void isFoundWithoutATransaction() throws SQLException {
            session.connection().setAutoCommit(true);

            assertThat(session.findAnswered(request)).contains(ClaimResult.succeeded("{\"b\": 1E+2, \"a\":1.00}"));
            assertThat(session.findAnswered(request("order-42", "another payload")))
                    .contains(ClaimResult.of(Kind.KEY_REUSED));
            assertThat(session.findAnswered(request("order-43"))).isEmpty();
            assertThat(session.query("show statement_timeout"))
                    .as("the bound of the wait ends with its statement")
                    .isEqualTo("0");
        }
    }

    @Test
    void aStatusOfALaterVersionIsNotGuessedAt() throws SQLException {
        session.call(request("order-42"), "1");
        session.execute("update idempotency.idempotency_request set status = 'paused'");

        assertThatThrownBy(() -> session.claim(request("order-42")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'paused'", "upgrade");
    }

    /** A completion clears nothing: what it does not name is empty since the claim. */
    @Test
    void nothingOfAnEarlierAttemptIsLeftInTheRowOfALaterOne() throws SQLException {
        ClaimRequest request = request("order-42");
        session.claimGranted(Requests.leased("order-42")).commit();
        admin.update("""
                update idempotency.idempotency_request
                set status = 'failed_retryable', failure_code = 'code', failure_message = 'message',
                    result_ref_type = 'order', result_ref_id = '42', response_body = '1',
                    response_expires_at = expires_at""");

        assertThat(session.claim(request)).isEqualTo(ClaimResult.granted(Kind.GRANTED_RETRY, 2));
        assertThat(session.complete(new Completion(request.fence(2), "2", null, null)))
                .isTrue();
        session.commit();

        assertThat(admin.queryForMap("""
                        select claim_token, locked_until, failure_code, failure_message, result_ref_type, result_ref_id,
                               response_expires_at
                        from idempotency.idempotency_request""").values()).containsOnlyNulls();
        assertThat(session.claim(request)).isEqualTo(ClaimResult.succeeded("2"));
    }

    @Nested
    class Completed {

        private final ClaimRequest request = request("order-42");

        @Test
        void holdsTheResponseAndNamesTheResult() throws SQLException {
            session.claimGranted(request)
                    .complete(new Completion(request.fence(1), "{\"paymentId\":7}", "payment", "7"));
            session.commit();

            assertThat(row(request)).containsEntry("status", "succeeded");
            assertThat(storedResult(request)).isEqualTo("payment 7");
            assertThat(storedBody(request)).isEqualTo("{\"paymentId\":7}");
            assertThat(admin.queryForObject(
                            "select updated_at >= claimed_at and expires_at = claimed_at + interval '7 days'"
                                    + " from idempotency.idempotency_request",
                            Boolean.class))
                    .isTrue();
        }

        @Test
        void twiceIsRefused() {
            session.claimGranted(request).complete(request, "1");

            assertThat(session.complete(new Completion(request.fence(1), "2", null, null)))
                    .isFalse();
        }

        @Test
        void withATextThatIsNotJsonIsPostgresErrorAndLeavesNothing() throws SQLException {
            session.claimGranted(request);

            assertThatThrownBy(() -> session.complete(request, "{")).isInstanceOf(DataAccessException.class);
            assertThat(session.state()).isEqualTo(TransactionState.ABORTED);
            session.commit();
            assertThat(count()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            select 1                                         | MARKED
            savepoint s; select 1/0; rollback to savepoint s | MARKED
            rollback to savepoint before_claim               | OPEN
            commit; select 1                                 | OPEN
            rollback; select 1                               | OPEN
            select 1/0                                       | ABORTED
            commit                                           | ENDED
            rollback                                         | ENDED
            """)
    void theTransactionIsAfterAClaimAnd(String statements, TransactionState state) throws SQLException {
        session.execute("savepoint before_claim").claimGranted(request("order-42"));
        assertThat(session.state()).isEqualTo(TransactionState.MARKED);

        for (String statement : statements.split("; ", -1)) {
            try {
                session.execute(statement);
            } catch (SQLException swallowed) {
                assertThat(statement).isEqualTo("select 1/0");
            }
        }

        assertThat(session.state()).isEqualTo(state);
    }

    @Test
    void onADriverThatDoesNotTellWhatWasInsertedIsRefused() throws SQLException {
        String url = database.jdbcUrl();
        try (Session blind = new Session(DriverManager.getConnection(
                url + (url.contains("?") ? "&" : "?") + "prepareThreshold=-1",
                database.username(),
                database.password()))) {
            session.call(request("order-42"), "1");
            admin.update(
                    "update idempotency.idempotency_request set status = 'failed_retryable', response_body = null");

            assertThatThrownBy(() -> blind.claim(request("order-42")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("prepareThreshold=-1");
        }
    }

    private Map<String, Object> row(ClaimRequest request) {
        return admin.queryForMap("select * from idempotency.idempotency_request where request_id = ?", request.id());
    }

    private String storedBody(ClaimRequest request) {
        return admin.queryForObject(
                "select response_body::text from idempotency.idempotency_request where request_id = ?",
                String.class,
                request.id());
    }

    private String storedResult(ClaimRequest request) {
        return admin.queryForObject(
                "select result_ref_type || ' ' || result_ref_id from idempotency.idempotency_request"
                        + " where request_id = ?",
                String.class,
                request.id());
    }

    private long count() {
        return admin.queryForObject("select count(*) from idempotency.idempotency_request", Long.class);
    }
}
