package io.idempotency.boot.actuate;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

import com.jayway.jsonpath.JsonPath;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Intent;
import io.idempotency.boot.testing.Answer;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.maintenance.PostgresStorageStatistics;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.retention.StorageSampler;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PartitionSample;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;
import io.idempotency.test.Backends;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What an operator reads over HTTP. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndpointReadsTest {

    private final TestDatabase database;

    private final StoredRows rows;

    @AutoClose
    private OperatedApplication application;

    EndpointReadsTest(TestDatabase database) {
        this.database = database;
        this.rows = new StoredRows(database.jdbc());
    }

    @BeforeAll
    void start() {
        application = OperatedApplication.start(database, List.of(), "idempotency.purge.enabled=false");
    }

    @AfterEach
    void clear() {
        rows.clear();
    }

    @Test
    void theOverviewShowsTheLatestSamplesOfTheTablesWithTheirAge() {
        application
                .events()
                .storageSampled(new StorageSampled(
                        List.of(new TableSample("idempotency_request", 1_234, Duration.ofMinutes(3))), 2, 4));
        application.messageEvents().outboxSampled(new OutboxSampled(7, 1, Duration.ofSeconds(42), List.of()));

        Answer answer = application.overview();

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text("$.storage.tables[0].table")).isEqualTo("idempotency_request");
        assertThat(answer.number("$.storage.tables[0].rows")).isEqualTo(1_234);
        assertThat(answer.text("$.storage.tables[0].oldestExpired")).isEqualTo("PT3M");
        assertThat(answer.number("$.storage.staleLeases")).isEqualTo(2);
        assertThat(answer.number("$.storage.halfDone")).isEqualTo(4);
        assertThat(Duration.parse(answer.text("$.storage.age"))).isLessThan(Duration.ofMinutes(1));
        assertThat(answer.number("$.outbox.pending")).isEqualTo(7);
        assertThat(answer.number("$.outbox.dead")).isOne();
        assertThat(answer.text("$.outbox.oldest")).isEqualTo("PT42S");
        assertThat(answer.texts("$.sections")).contains("stale-leases", "record");
    }

    @Test
    void staleLeasesAreToldFromRunningOnesAndFromAbandonedCalls() {
        rows.leasedUntil("vanished", "-1 hour");
        rows.leasedUntil("running", "1 hour");
        rows.abandoned("left alone");
        rows.succeeded("succeeded", "7");

        Answer answer = application.get("stale-leases");

        assertThat(answer.texts("$.rows[*].intent.key")).containsExactly("vanished");
        assertThat(answer.flag("$.rows[0].stale")).isTrue();
        assertThat(answer.text("$.rows[0].lockedUntil")).isNotEmpty();
        assertThat(answer.texts("$.rows[*].claimedBy")).containsOnly("an instance");
        assertThat(answer.flag("$.mayBeMore")).isFalse();
        Answer abandoned = application.get("abandoned");
        assertThat(abandoned.texts("$.rows[*].intent.key")).containsExactly("left alone");
        assertThat(abandoned.flag("$.rows[0].stale")).isTrue();
        assertThat(abandoned.all("$.rows[*].lockedUntil")).isEmpty();
        assertThat(application.get("record?scope=payments&key=running").flag("$.stale"))
                .isFalse();
    }

    @Test
    void aCallThatHangsIsShownWithItsThreadUntilItsTransactionHasEnded() throws Exception {
        IdempotencyOperations operations = application.bean(IdempotencyOperations.class);
        CountDownLatch end = new CountDownLatch(1);
        IdempotencyOperations.Call call =
                operations.call("payments", "hangs", 7).caller("ada");
        Thread caller =
                new Thread(() -> call.run(() -> Awaitility.await().until(() -> end.getCount() == 0)), "a-slow-thread");
        caller.start();
        Awaitility.await()
                .untilAsserted(() -> assertThat(
                                application.get("running-calls").texts("$.rows[?(@.intent.key == 'hangs')].thread"))
                        .containsExactly("a-slow-thread"));

        assertThat(JsonPath.<Map<String, Object>>read(
                        application.get("running-calls").body(), "$.rows[0]"))
                .containsOnlyKeys("intent", "thread", "hasReturned", "heldFor")
                .containsEntry("intent", Map.of("scope", "payments", "caller", "ada", "key", "hangs"))
                .containsEntry("hasReturned", false);
        assertThat(Duration.parse(application.get("running-calls").text("$.rows[0].heldFor")))
                .isPositive();
        for (String question : List.of("scope=payments&caller=ada&key=hangs", "key=hangs", "caller=ada")) {
            assertThat(application.get("record?" + question).error())
                    .as(question)
                    .containsPattern("This instance holds it since 20\\d\\d.*Z: its method is running, in the thread"
                            + " 'a-slow-thread'. Look that up in a thread dump.")
                    .doesNotContain("no statement waits");
        }
        assertThat(application.get("record?scope=payments&key=other").error()).contains("no statement waits");
        end.countDown();
        caller.join();
        assertThat(application.get("running-calls").all("$.rows")).isEmpty();
    }

    @Test
    void aCallWhoseCallerKeepsTheTransactionOpenIsShown() {
        IdempotencyOperations operations = application.bean(IdempotencyOperations.class);
        new TransactionTemplate(application.bean(PlatformTransactionManager.class)).executeWithoutResult(open -> {
            operations.call("payments", "joined", 7).run(() -> {});

            assertThat(application.get("running-calls").flag("$.rows[0].hasReturned"))
                    .isTrue();
        });
        assertThat(application.get("running-calls").all("$.rows")).isEmpty();
    }

    @Test
    void aLeasedCallThatFailsAfterAStepIsHalfDoneUntilItIsFinishedOrDecidedAbout() {
        IdempotencyOperations operations = application.bean(IdempotencyOperations.class);
        IdempotencyAdministration administration = application.bean(IdempotencyAdministration.class);
        Reason reason = new Reason("ada", "the bank was asked");
        failAfterSteps(operations, "captured", 2);
        failAfterSteps(operations, "without steps", 0);
        failAfterSteps(operations, "released", 1);
        failAfterSteps(operations, "finished", 1);
        rows.leasedUntil("vanished", "-1 hour");
        rows.abandoned("left alone");
        leased(operations, "finished")
                .run(() -> IdempotencyContext.current().step("step 1", String.class, () -> "never runs"));
        database.jdbc().update("""
                update idempotency.idempotency_request set status = 'processing' where idempotency_key = 'released'""");
        administration.releaseStale(new Intent("payments", "", new IdempotencyKey("released")), reason);

        Answer answer = application.get("half-done");

        assertThat(answer.texts("$.rows[*].intent.key")).containsExactlyInAnyOrder("captured", "released");
        assertThat(answer.texts("$.rows[?(@.intent.key == 'captured')].failureMessage"))
                .containsExactly("no answer");
        StorageSampled[] sampled = new StorageSampled[1];
        new StorageSampler(
                        new PostgresStorageStatistics(
                                new Schema("idempotency"), database.dataSource(), List.of(CoreFeatures.CORE)),
                        new IdempotencyListener() {
                            @Override
                            public void storageSampled(StorageSampled event) {
                                sampled[0] = event;
                            }
                        })
                .sample();
        assertThat(sampled[0].halfDone()).isEqualTo(2);
        assertThat(sampled[0].staleLeases()).isOne();

        Intent captured = new Intent("payments", "", new IdempotencyKey("captured"));
        administration.retryFrom(captured, "step 2", reason);
        assertThat(application.get("half-done").texts("$.rows[*].intent.key")).contains("captured");
        administration.retryFrom(captured, "step 1", reason);
        assertThat(application.get("half-done").texts("$.rows[*].intent.key")).containsExactly("released");
    }

    private static IdempotencyOperations.Call leased(IdempotencyOperations operations, String key) {
        return operations.call("payments", key, 7).leased(Duration.ofMinutes(1));
    }

    private static void failAfterSteps(IdempotencyOperations operations, String key, int steps) {
        assertThatThrownBy(() -> leased(operations, key).run(() -> {
                    for (int step = 1; step <= steps; step++) {
                        IdempotencyContext.current().step("step " + step, String.class, () -> "done");
                    }
                    throw new IllegalStateException("no answer");
                }))
                .hasMessage("no answer");
    }

    @Test
    void theKeysThatOtherSystemsGotAreShown() {
        List<String> sent = new ArrayList<>();
        leased(application.bean(IdempotencyOperations.class), "order-42").run(() -> {
            IdempotencyContext call = IdempotencyContext.current();
            sent.add(call.downstreamKey("bank"));
            call.step("charge", String.class, () -> {
                sent.add(call.downstreamKey());
                sent.add(call.downstreamKey("bank"));
                return "done";
            });
        });

        Answer answer = application.get("record?scope=payments&key=order-42&downstream=bank");

        assertThat(answer.text("$.steps[0].name")).isEqualTo("charge");
        assertThat(List.of(
                        answer.text("$.downstreamKeys['']"),
                        answer.text("$.steps[0].downstreamKey"),
                        answer.text("$.downstreamKeys.charge")))
                .isEqualTo(sent);
        assertThat(application.get("record?scope=payments&key=order-42").body()).doesNotContain("downstreamKeys");
    }

    @Test
    void theRequestsOfOneCallerAreShown() {
        IdempotencyOperations operations = application.bean(IdempotencyOperations.class);
        operations.call("payments", "order-42", 7).caller("ada").run(() -> {});
        operations.call("refunds", "order-42", 7).caller("ada").run(() -> {});
        operations.call("payments", "order-43", 7).caller("ada").run(() -> {});
        operations.call("payments", "order-42", 7).caller("bob").run(() -> {});

        assertThat(application.get("record?caller=ada").texts("$.rows[*].intent.key"))
                .containsExactly("order-43", "order-42", "order-42");
        assertThat(application.get("record?caller=ada&key=order-42").texts("$.rows[*].intent.scope"))
                .containsExactly("refunds", "payments");
        assertThat(application.get("record?caller=ada&scope=payments").texts("$.rows[*].intent.key"))
                .containsExactly("order-43", "order-42");
        assertThat(application.get("record?caller=eve").error())
                .startsWith("No request of the caller 'eve' is stored in any scope.");
    }

    @Test
    void repeatedCommandsAreThoseWithManyAttempts() {
        rows.failed("once", 1);
        rows.failed("twice", 2);
        rows.failed("often", 9);

        assertThat(application.get("repeated-commands").texts("$.rows[*].intent.key"))
                .containsExactly("often", "twice");
        assertThat(application.get("repeated-commands?attempts=9").numbers("$.rows[*].attempt"))
                .containsExactly(9);
    }

    @Test
    void failingMessagesShowTheirLastFailure() {
        rows.failing("now-and-then", 2);
        rows.failing("always", 40);

        Answer answer = application.get("failing-messages");

        assertThat(answer.texts("$.rows[*].messageId")).containsExactly("always", "now-and-then");
        assertThat(answer.text("$.rows[0].failureMessage")).isEqualTo("no account");
        assertThat(answer.number("$.rows[0].attempts")).isEqualTo(40);
    }

    @Test
    void pendingMessagesSayWhichOneTheyWaitFor() {
        UUID first = rows.message("First", "pending", "order-1");
        rows.message("Second", "pending", "order-1");
        rows.message("Third", "pending", "order-1");
        rows.message("Other", "pending", null);

        Answer answer = application.get("pending-messages");

        assertThat(answer.texts("$.rows[*].type")).containsExactly("First", "Second", "Third", "Other");
        assertThat(answer.texts("$.rows[?(@.waitsFor)].type")).containsExactly("Second", "Third");
        assertThat(answer.texts("$.rows[*].waitsFor")).containsOnly(first.toString());
        assertThat(answer.text("$.rows[0].lastError")).isEqualTo("no route");
        assertThat(answer.text("$.rows[0].intent.key")).isEqualTo("order-42");
    }

    @Test
    void deadMessagesAreOnlyThose() {
        UUID dead = rows.message("Dead", "dead", null);
        rows.message("Pending", "pending", null);

        assertThat(application.get("dead-messages").texts("$.rows[*].messageId"))
                .containsExactly(dead.toString());
    }

    @Test
    void oneRecordIsFoundByScopeCallerAndKeyWithoutItsResponse() {
        rows.succeeded("order 42/ä", "{\"paid\": 7}");

        Answer answer = application.get("record?scope=payments&key=" + OperatedApplication.encoded("order 42/ä"));

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text("$.status")).isEqualTo("SUCCEEDED");
        assertThat(answer.flag("$.hasResponse")).isTrue();
        assertThat(answer.body()).doesNotContain("paid");
        assertThat(application
                        .get("record?scope=payments&caller=bob&key=" + OperatedApplication.encoded("order 42/ä"))
                        .status())
                .isEqualTo(404);
    }

    /** Clients of the endpoint read these members, so that no other member may appear in their place. */
    @Test
    void theMembersOfEachAnswerKeepTheirNamesAndFormats() {
        rows.failed("failed", 2);
        database.jdbc().update("""
                update idempotency.idempotency_request
                set status = 'failed_final', caller = 'ada', request_id = gen_random_uuid(), locked_until = 'epoch',
                    created_at = 'epoch', claimed_at = 'epoch', expires_at = '2100-01-01', response_body = '7',
                    result_ref_type = 'order', result_ref_id = '42', failure_code = 'code', failure_message = 'message'""");
        rows.failing("failing", 2);
        rows.message("Pending", "pending", "order-1");
        rows.message("Dead", "dead", "order-2");
        UUID waitsFor = rows.message("Pending", "pending", "order-1");

        assertThat(JsonPath.<Map<String, Object>>read(
                        application.get("repeated-commands").body(), "$.rows[0]"))
                .isEqualTo(Map.ofEntries(
                        Map.entry("intent", Map.of("scope", "payments", "caller", "ada", "key", "failed")),
                        Map.entry("status", "FAILED_FINAL"),
                        Map.entry("stale", false),
                        Map.entry("attempt", 2),
                        Map.entry("claimedBy", "an instance"),
                        Map.entry("createdAt", "1970-01-01T00:00:00Z"),
                        Map.entry("claimedAt", "1970-01-01T00:00:00Z"),
                        Map.entry("lockedUntil", "1970-01-01T00:00:00Z"),
                        Map.entry("expiresAt", "2100-01-01T00:00:00Z"),
                        Map.entry("hasResponse", true),
                        Map.entry("resultType", "order"),
                        Map.entry("resultId", "42"),
                        Map.entry("failureCode", "code"),
                        Map.entry("failureMessage", "message")));
        assertThat(membersOf("repeated-commands", "$")).containsExactlyInAnyOrder("limit", "mayBeMore", "rows");
        assertThat(membersOf("failing-messages", "$.rows[0]"))
                .containsExactlyInAnyOrder(
                        "consumer",
                        "messageId",
                        "type",
                        "attempts",
                        "failureCode",
                        "failureMessage",
                        "firstFailedAt",
                        "lastFailedAt");
        List<String> messages =
                List.of("messageId", "topic", "type", "orderingKey", "attempts", "lastError", "intent", "createdAt");
        assertThat(membersOf("dead-messages", "$.rows[0]")).hasSameElementsAs(messages);
        assertThat(membersOf("dead-messages", "$.rows[0].intent")).containsExactlyInAnyOrder("scope", "caller", "key");
        assertThat(membersOf("pending-messages", "$.rows[?(@.messageId == '" + waitsFor + "')]"))
                .containsAll(messages)
                .contains("dueAt", "nextAttemptAt", "waitsFor")
                .hasSize(messages.size() + 3);
    }

    private Set<String> membersOf(String section, String path) {
        Object found = JsonPath.read(application.get(section).body(), path);
        Map<?, ?> object = (Map<?, ?>) (found instanceof List<?> list ? list.get(0) : found);
        return object.keySet().stream().map(Object::toString).collect(Collectors.toSet());
    }

    @Test
    void theMembersOfOneRecordKeepTheirNames() {
        rows.leasedUntil("step", "1 hour");
        database.jdbc().update("""
                update idempotency.idempotency_request
                set steps = '[{"name": "a", "attempt": 1, "recorded_at": "2024-01-01T00:00:00Z"}]'""");
        assertThat(membersOf("record?scope=payments&key=step", "$"))
                .containsExactlyInAnyOrder(
                        "intent",
                        "status",
                        "stale",
                        "attempt",
                        "claimedBy",
                        "createdAt",
                        "claimedAt",
                        "lockedUntil",
                        "expiresAt",
                        "hasResponse",
                        "steps");
        assertThat(membersOf("record?scope=payments&key=step", "$.steps[0]"))
                .containsExactlyInAnyOrder("name", "attempt", "recordedAt", "downstreamKey");
        database.jdbc().update("""
                insert into idempotency.processed_message (consumer, message_id, message_type, processed_at, expires_at)
                values ('invoices', 'm-1', 'paid', now(), now() + interval '1 day')""");
        assertThat(membersOf("record?scope=invoices&key=m-1", "$"))
                .containsExactlyInAnyOrder("consumer", "messageId", "type", "handledAt", "expiresAt");
        application.events().storageSampled(new StorageSampled(List.of(), 0, 0));
        application.messageEvents().outboxSampled(new OutboxSampled(0, 0, Duration.ZERO, List.of()));
        assertThat(JsonPath.<Map<String, Object>>read(application.overview().body(), "$.storage"))
                .containsOnlyKeys("sampledAt", "age", "tables", "staleLeases", "halfDone");
        assertThat(JsonPath.<Map<String, Object>>read(application.overview().body(), "$.outbox"))
                .containsOnlyKeys("sampledAt", "age", "pending", "dead", "oldest", "lateTopics");
        application
                .messageEvents()
                .partitionsSampled(new PartitionSample("processed_message", 9, 7, Duration.ZERO, false, List.of()));
        assertThat(JsonPath.<Map<String, Object>>read(application.overview().body(), "$.partitions"))
                .containsOnlyKeys(
                        "sampledAt", "age", "table", "partitions", "ahead", "overdue", "detachPending", "problems");
    }

    @Test
    void whatIsNotThereIsNotFound() {
        Answer answer = application.get("record?scope=payments&key=unknown");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.error())
                .isEqualTo(
                        "Nothing is stored for the key 'unknown' in scope 'payments'. No request of that scope is stored at"
                                + " all: it may be misspelt. It may be held by a running transaction, which shows nothing before its"
                                + " commit: no statement waits for one now.");

        rows.succeeded("order-42", "7");
        assertThat(application.get("record?scope=payments&key=unknown").error()).doesNotContain("misspelt");
    }

    @Test
    void withoutACallerAllCallersOfAKeyAreShown() {
        rows.succeeded("order-42", "7");
        database.jdbc().update("""
                insert into idempotency.idempotency_request
                select (jsonb_populate_record(r, jsonb_build_object('caller', c.name, 'request_id',
                    idempotency.idempotency_request_id('payments', 'order-42', c.name)))).*
                from idempotency.idempotency_request as r, (values ('ada'), ('bob')) as c (name)""");
        database.jdbc().update("delete from idempotency.idempotency_request where caller = ''");

        Answer answer = application.get("record?scope=payments&key=order-42");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.all("$.rows[*].intent.caller")).hasSize(2);
        assertThat(answer.body()).contains("\"ada\"", "\"bob\"");
        assertThat(application
                        .get("record?scope=payments&key=order-42&caller=ada")
                        .text("$.intent.caller"))
                .isEqualTo("ada");
    }

    @Test
    void withoutAScopeTheScopesOfAKeyAreShown() {
        rows.succeeded("order-42", "7");
        database.jdbc().update("""
                insert into idempotency.idempotency_request
                select (jsonb_populate_record(r, jsonb_build_object('idempotency_scope', 'refunds', 'request_id',
                    idempotency.idempotency_request_id('refunds', 'order-42')))).*
                from idempotency.idempotency_request as r""");
        rows.succeeded("order-43", "7");

        Answer answer = application.get("record?key=order-42");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.texts("$.rows[*].intent.scope")).containsExactlyInAnyOrder("payments", "refunds");
        assertThat(application.get("record?key=order-42&limit=1").texts("$.rows[*].intent.scope"))
                .hasSize(1);
        Answer unknown = application.get("record?key=unknown");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.error()).startsWith("No request with the key 'unknown' is stored in any scope.");
    }

    @Test
    void aHandledMessageIsShown() {
        database.jdbc().update("""
                insert into idempotency.processed_message (consumer, message_id, message_type, processed_at, expires_at)
                values ('invoices', 'm-1', 'paid', now(), now() + interval '1 day')""");

        Answer answer = application.get("record?scope=invoices&key=m-1");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text("$.consumer")).isEqualTo("invoices");
        assertThat(answer.text("$.type")).isEqualTo("paid");
    }

    @Test
    void whoWaitsForARunningTransactionIsShown() throws Exception {
        try (Connection holder = database.connection();
                Connection waiting = database.connection()) {
            holder.setAutoCommit(false);
            onlyOn(holder).succeeded("order-43", "7");
            CompletableFuture<Void> duplicate =
                    CompletableFuture.runAsync(() -> onlyOn(waiting).succeeded("order-43", "7"));
            database.backends().awaitBlocked(waiting);

            assertThat(application.get("record?scope=payments&key=order-43").error())
                    .containsPattern("backend " + Backends.pidOf(waiting) + " \\(.*\\) has waited since .* for backend "
                            + Backends.pidOf(holder) + " \\(.*, idle in transaction, transaction since ");

            holder.rollback();
            duplicate.join();
        }
    }

    @Test
    void anUnknownSectionIsNotFoundAndTheOthersAreNamed() {
        Answer answer = application.get("stale-lease");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.error()).contains("'stale-lease'", "stale-leases, half-done, abandoned, repeated-commands");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "stale-leases?limit=1001           | 'limit' must be a number from 1 to 1000, not '1001'.",
                "dead-messages?limit=0             | 'limit' must be a number from 1 to 1000, not '0'.",
                "abandoned?limit=all               | 'limit' must be a number from 1 to 1000, not 'all'.",
                "repeated-commands?attempts=-1     | 'attempts' must be a number from 1 to 2147483647, not '-1'.",
                "record?scope=payments             | Missing: key. 'record' needs scope, key.",
                "record                            | Missing: scope, key. 'record' needs scope, key.",
                "record?scope=payments&key=%20     | The idempotency key is blank.",
                "record?key=order%0042             | The idempotency key contains U+0000, which is not printable.",
                "record?scope=%20&key=order-42     | The scope of an idempotent operation is blank.",
            })
    void badInputIsRefusedWithWhatIsAllowed(String request, String error) {
        Answer answer = application.get(request);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error()).isEqualTo(error);
    }

    @ParameterizedTest
    @ValueSource(strings = {"stale-leases", "failing-messages", "pending-messages", "dead-messages"})
    void pagesAreBounded(String section) {
        rows.stale(1_500);
        rows.failing(1_500);
        rows.messages("pending", 1_500);
        rows.messages("dead", 1_500);

        Answer byDefault = application.get(section);
        assertThat(byDefault.all("$.rows")).hasSize(50);
        assertThat(byDefault.flag("$.mayBeMore")).isTrue();
        assertThat(application.get(section + "?limit=1000").all("$.rows")).hasSize(1_000);
        assertThat(application.get(section + "?limit=7").all("$.rows")).hasSize(7);
    }

    @Test
    @Tag("full")
    void aQuestionThatTakesTooLongIsCancelledAndSaysSo() throws SQLException {
        try (Connection maintenance = database.connection();
                Statement statement = maintenance.createStatement()) {
            maintenance.setAutoCommit(false);
            statement.execute("lock table idempotency.message_failure in access exclusive mode");

            Answer answer = application.get("failing-messages");

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.error()).startsWith("PostgreSQL did not answer within 5 seconds");
            maintenance.rollback();
        }
        assertThat(application.get("failing-messages").status()).isEqualTo(200);
    }

    private static StoredRows onlyOn(Connection connection) {
        return new StoredRows(new JdbcTemplate(new SingleConnectionDataSource(connection, true)));
    }

    @Test
    void writingIsNotAllowedUnlessTheApplicationSaysSo() {
        rows.succeeded("order-42", "7");

        Answer answer = application.post(
                "forget", "{\"scope\":\"payments\",\"key\":\"order-42\",\"who\":\"ada\",\"reason\":\"why not\"}");

        assertThat(answer.status()).isEqualTo(405);
        assertThat(rows.statusOf("order-42")).isEqualTo("succeeded");
    }
}
