package io.idempotency.boot.actuate;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import ch.qos.logback.classic.Level;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What an operator does over HTTP, where that is allowed. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndpointWritesTest {

    private static final String REASON = ",\"who\":\"ada\",\"reason\":\"the bank says so\"}";

    private final TestDatabase database;

    private final StoredRows rows;

    @AutoClose
    private OperatedApplication application;

    private LogLines log;

    EndpointWritesTest(TestDatabase database) {
        this.database = database;
        this.rows = new StoredRows(database.jdbc());
    }

    @BeforeAll
    void start() {
        Notebook.createTable(database.jdbc());
        application = OperatedApplication.start(
                database,
                List.of(Notebook.class),
                "management.endpoint.idempotency.access=unrestricted",
                "management.endpoint.idempotency.show-responses=always",
                "idempotency.purge.interval=1h");
    }

    @BeforeEach
    void listen() {
        log = LogLines.of("io.idempotency.administration");
    }

    @AfterEach
    void clear() {
        log.close();
        rows.clear();
    }

    @Test
    void aStaleLeaseIsReleased() {
        rows.leasedUntil("order-42", "-1 second");

        Answer answer = application.post("release", intent("order-42") + REASON);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text("$.operation")).isEqualTo("release");
        assertThat(answer.text("$.key")).isEqualTo("order-42");
        assertThat(answer.text("$.who")).isEqualTo("ada");
        assertThat(rows.statusOf("order-42")).isEqualTo("failed_retryable");
        assertLoggedOnce(Map.of(
                "operation", "release",
                "scope", "payments",
                "caller", "",
                "key", "order-42",
                "who", "ada",
                "why", "the bank says so"));
    }

    @Test
    void aStaleLeaseIsCompletedWithWhatRepeatsAreToGet() {
        rows.abandoned("order-42");

        Answer answer =
                application.post("complete", intent("order-42") + ",\"response\":\"{\\\"paid\\\": 1E+2}\"" + REASON);

        assertThat(answer.status()).isEqualTo(200);
        Answer stored = application.get("record?scope=payments&key=order-42");
        assertThat(stored.text("$.status")).isEqualTo("SUCCEEDED");
        assertThat(stored.text("$.response")).isEqualTo("{\"paid\": 1E+2}");
        assertLoggedOnce("complete");
    }

    @Test
    void theStepsOfACallAreShownAndThoseFromOneOnDeleted() {
        rows.failed("trip-7", 1);
        database.jdbc()
                .update(
                        "update idempotency.idempotency_request set steps = cast(? as jsonb) where idempotency_key = 'trip-7'",
                        """
                        [{"name": "reserve", "attempt": 1, "response": "1", "recorded_at": "2026-11-26T12:00:00Z"},
                         {"name": "charge", "attempt": 2, "failure_code": "declined", "failure_message": "no money",
                          "recorded_at": "2026-11-26T12:00:01Z"}]""");

        Answer shown = application.get("record?scope=payments&key=trip-7");
        assertThat(shown.texts("$.steps[*].name")).containsExactly("reserve", "charge");
        assertThat(shown.text("$.steps[0].recordedAt")).isEqualTo("2026-11-26T12:00:00Z");
        assertThat(shown.text("$.steps[1].failureMessage")).isEqualTo("no money");
        assertThat(application
                        .post("retry", intent("trip-7") + ",\"step\":\"ship\"" + REASON)
                        .error())
                .isEqualTo("Cannot retry the key 'trip-7' in scope 'payments' from the step 'ship': it has recorded"
                        + " [reserve, charge].");

        Answer answer = application.post("retry", intent("trip-7") + ",\"step\":\"charge\"" + REASON);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(application.get("record?scope=payments&key=trip-7").texts("$.steps[*].name"))
                .containsExactly("reserve");
        assertThat(rows.statusOf("trip-7")).isEqualTo("failed_retryable");
        assertLoggedOnce("retry");
    }

    @Test
    void aForgottenKeyRunsAgain() {
        Notebook notebook = application.bean(Notebook.class);
        Note first = notebook.write("order-42", "text");

        Answer answer = application.post("forget", "{\"scope\":\"notes\",\"key\":\"order-42\"" + REASON);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(rows.requests()).isEmpty();
        assertThat(notebook.write("order-42", "text")).isNotEqualTo(first);
        assertLoggedOnce("forget");
    }

    @Test
    void aDeadMessageIsRequeued() {
        UUID dead = rows.message("Dead", "dead", null);

        Answer answer = application.post("requeue", "{\"messageId\":\"" + dead + "\"" + REASON);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(application.get("dead-messages").all("$.rows")).isEmpty();
        assertThat(application.get("pending-messages").texts("$.rows[*].messageId"))
                .containsExactly(dead.toString());
        assertLoggedOnce(Map.of("operation", "requeue", "message_id", dead, "who", "ada", "why", "the bank says so"));
    }

    @Test
    void whatHasExpiredIsPurgedNow() {
        rows.expired(1_500);

        Answer answer = application.post("purge", "{\"who\":\"ada\",\"reason\":\"the disk is full\"}");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.number("$.deleted.processed_message")).isEqualTo(1_500);
        assertThat(answer.text("$.end")).isEqualTo("NOTHING_LEFT");
        assertThat(database.jdbc().queryForObject("select count(*) from idempotency.processed_message", Long.class))
                .isZero();
        assertLoggedOnce(Map.of("operation", "purge", "who", "ada", "why", "the disk is full"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "complete", "forget"})
    void anActiveLeaseIsNeverTouched(String operation) {
        rows.leasedUntil("order-42", "1 hour");
        List<String> before = rows.requests();

        Answer answer = application.post(operation, intent("order-42") + ",\"response\":\"7\"" + REASON);

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.error())
                .startsWith("Cannot " + operation + " the key 'order-42' in scope 'payments'")
                .contains("holds its lease until");
        assertThat(rows.requests()).isEqualTo(before);
        assertThat(log.all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "complete", "forget", "retry"})
    void whatIsNotStoredIsNotFound(String operation) {
        Answer answer =
                application.post(operation, intent("unknown") + ",\"response\":\"7\",\"step\":\"charge\"" + REASON);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.error()).endsWith("nothing is stored for it.");
        assertThat(log.all()).isEmpty();
    }

    @Test
    void anUnknownOperationIsNotFoundAndTheOthersAreNamed() {
        Answer answer = application.post("delete", intent("order-42") + REASON);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.error())
                .isEqualTo(
                        "There is no operation 'delete'. There are release, complete, forget, retry, purge, requeue.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "purge    |                                        | Missing: reason, who. 'purge' needs reason, who.",
                "release  | {}                                     | Missing: scope, key, reason, who. 'release' needs scope, key, reason, who.",
                "forget   | {'scope':'payments','key':'order-42','who':'ada'} | Missing: reason. 'forget' needs scope, key, reason, who.",
                "forget   | {'scope':'payments','key':'order-42','reason':'late'} | Missing: who. 'forget' needs scope, key, reason, who.",
                "complete | {'scope':'payments','key':'order-42','who':'ada','reason':'late'} | Missing: response. 'complete' needs scope, key, response, reason, who.",
                "purge    | {'who':'ada'}                          | Missing: reason. 'purge' needs reason, who.",
                "requeue  | {'who':'ada','reason':'late'}          | Missing: messageId. 'requeue' needs messageId, reason, who.",
                "requeue  | {'messageId':'7','who':'ada','reason':'late'} | 'messageId' must be a UUID, not '7'.",
                "requeue  | {'messageId':'1-1-1-1-1','who':'ada','reason':'late'} | 'messageId' must be a UUID, not '1-1-1-1-1'.",
                "purge    | {'who':'ada','reason':' '}             | An intervention needs to say why, but what it says is blank.",
                "purge    | {'who':'a\\nb','reason':'late'}        | An intervention needs to say who does it, but what it says contains U+000A, which is not printable.",
                "forget   | {'scope':'payments','key':'','who':'ada','reason':'late'} | The idempotency key is blank.",
            })
    void badInputIsRefusedWithWhatIsNeeded(String operation, @Nullable String json, String error) {
        rows.succeeded("order-42", "7");

        Answer answer = application.post(operation, json == null ? null : json.replace('\'', '"'));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error()).isEqualTo(error);
        assertThat(rows.statusOf("order-42")).isEqualTo("succeeded");
        assertThat(log.all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"paid", "{\\\"paid\\\": 7", ""})
    void aResponseThatIsNotJsonIsRefused(String response) {
        rows.abandoned("order-42");

        Answer answer =
                application.post("complete", intent("order-42") + ",\"response\":\"" + response + "\"" + REASON);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error()).contains("is not JSON that PostgreSQL can store");
        assertThat(rows.statusOf("order-42")).isEqualTo("processing");
        assertThat(log.all()).isEmpty();
    }

    /** Actuator takes text only, and refuses anything else before the endpoint is asked. */
    @Test
    void aResponseThatIsNotGivenAsTextIsABadRequest() {
        rows.abandoned("order-42");

        Answer answer = application.post("complete", intent("order-42") + ",\"response\":{\"paid\":7}" + REASON);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(rows.statusOf("order-42")).isEqualTo("processing");
    }

    @Test
    @Tag("full")
    void anInterventionDoesNotWaitForeverForWhoeverHoldsTheRow() throws SQLException {
        rows.leasedUntil("order-42", "-1 second");
        try (Connection holder = database.connection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("select from idempotency.idempotency_request for update");

            Answer answer = application.post("release", intent("order-42") + REASON);

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.error()).startsWith("PostgreSQL did not answer within 5 seconds");
            holder.rollback();
        }
        assertThat(rows.statusOf("order-42")).isEqualTo("processing");
        assertThat(log.all()).isEmpty();
    }

    private static String intent(String key) {
        return "{\"scope\":\"payments\",\"key\":\"" + key + "\"";
    }

    private void assertLoggedOnce(String operation) {
        assertThat(log.all()).hasSize(1);
        assertThat(log.all().get(0).getLevel()).isEqualTo(Level.WARN);
        assertThat(log.all().get(0).getFormattedMessage())
                .startsWith("Operator intervention: " + operation)
                .contains("by ada because");
    }

    private void assertLoggedOnce(Map<String, ?> values) {
        assertLoggedOnce((String) values.get("operation"));
        assertThat(LogLines.pairsOf(log.all().get(0))).isEqualTo(values);
    }
}
