package io.idempotency.internal.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.TransactionException;

import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.SenderUnavailableException;
import io.idempotency.test.Backends;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** One relay and the messages that are due. */
@Tag("citus")
@PostgresTest
class RelayTest {

    private static final IllegalStateException POISON = new IllegalStateException("cannot be sent");

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final Publisher publisher;

    private final RecordingSender sender = new RecordingSender();

    private final Events events = new Events();

    private final OutboxRelay relay;

    RelayTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.publisher = new Publisher(database.dataSource());
        this.relay = relay(publisher.store, settings(3, Duration.ofSeconds(10)));
    }

    private static RelaySettings settings(int maxAttempts, Duration sendTimeout) {
        return new RelaySettings(
                10, sendTimeout, maxAttempts, new Backoff(Duration.ofMinutes(1), 2, Duration.ofHours(1)));
    }

    private OutboxRelay relay(OutboxStore store, RelaySettings settings) {
        return new OutboxRelay(store, sender, settings, events);
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.outbox_event");
    }

    @Test
    void whatIsDueIsSentOnceWithItsIdAndKeptForItsRetention() {
        UUID first = publisher.publish("a", 1);
        UUID second = publisher.publish(null, 2);

        assertThat(relay.sendBatch().more()).isTrue();
        assertThat(relay.sendBatch()).isEqualTo(OutboxRelay.Round.NOTHING_DUE);

        assertThat(sender.sent)
                .extracting(OutboxRecord::id, OutboxRecord::payload, OutboxRecord::attempt)
                .containsExactlyInAnyOrder(tuple(first, "1", 1), tuple(second, "2", 1));
        assertThat(sender.sent.get(0).headers()).containsEntry("trace", "of-the-publisher");
        assertThat(admin.queryForList(
                        "select status || ' ' || attempt_count || ' ' || (expires_at - sent_at)"
                                + " from idempotency.outbox_event",
                        String.class))
                .containsExactly("sent 1 3 days", "sent 1 3 days");
        assertThat(events.sent)
                .hasSize(2)
                .allMatch(event -> event.latency().compareTo(Duration.ofSeconds(30)) < 0
                        && !event.latency().isNegative());
    }

    @Test
    void callsToResumeAreNotSent() {
        publisher.publish(null, 1);
        admin.update("update idempotency.outbox_event set lane = " + Lanes.OF_RESUMPTIONS);
        publisher.publish(null, 2);

        relay.sendBatch();
        relay.sendBatch();

        assertThat(sender.payloads()).containsExactly("2");
    }

    /** As if the messages had been published before the clock of the database was set back by an hour. */
    @Test
    void aClockThatWasSetBackHoldsNothingUpButWhatIsToBeSentLater() {
        publisher.publish("a", 1);
        admin.update("update idempotency.outbox_event set created_at = created_at + interval '1 hour',"
                + " due_at = due_at + interval '1 hour', next_attempt_at = next_attempt_at + interval '1 hour'");
        publisher.publish("a", 2);
        publisher.publish(OutboxMessage.of("orders", "OrderPlaced")
                .payload(3)
                .notBefore(Instant.now().plusSeconds(600))
                .build());

        relay.sendBatch();
        relay.sendBatch();
        relay.sendBatch();

        assertThat(sender.payloads()).containsExactly("1", "2");
        assertThat(Publisher.states(admin)).containsExactly("1 sent", "2 sent", "3 pending");
    }

    @Test
    void manyBatchesKeepTheOrderOfAKey() {
        List<String> published = new ArrayList<>();
        for (int i = 0; i < 35; i++) {
            publisher.publish("a", i);
            published.add(Integer.toString(i));
        }

        drain();

        assertThat(sender.payloads()).isEqualTo(published);
    }

    @Test
    void aPoisonMessageBlocksItsKeyOnlyAndEndsDeadWithItsLastError() {
        sender.failing("1", POISON);
        for (int i = 0; i < 4; i++) {
            publisher.publish("a", i);
            publisher.publish("b", i + 10);
            publisher.publish(null, i + 20);
        }

        drain();
        assertThat(sender.payloads()).containsExactlyInAnyOrder("0", "10", "11", "12", "13", "20", "21", "22", "23");
        makeDue();
        drain();
        assertThat(sender.payloads()).hasSize(9);
        makeDue();
        drain();

        assertThat(admin.queryForMap("select payload::text, attempt_count, last_error"
                        + " from idempotency.outbox_event where status = 'dead'"))
                .isEqualTo(Map.of("payload", "1", "attempt_count", 3, "last_error", POISON.toString()));
        assertThat(sender.payloads().subList(9, 11)).containsExactly("2", "3");
        assertThat(events.failed)
                .extracting(MessageSendFailed::attempt, MessageSendFailed::dead)
                .containsExactly(tuple(1, false), tuple(2, false), tuple(3, true));
    }

    @Test
    void theDelayOfTheNextAttemptGrows() {
        sender.failing("1", POISON);
        publisher.publish("a", 1);
        drain();
        double first = secondsToNextAttempt();
        makeDue();
        drain();

        assertThat(first).isBetween(50.0, 91.0);
        assertThat(secondsToNextAttempt()).isBetween(50.0, 181.0);
    }

    private double secondsToNextAttempt() {
        return admin.queryForObject(
                "select extract(epoch from next_attempt_at - clock_timestamp()) from idempotency.outbox_event",
                Double.class);
    }

    @Test
    void aMessageForLaterIsSentLaterAndItsKeyWaitsForIt() {
        publisher.publish(OutboxMessage.of("orders", "Reminder")
                .orderingKey("a")
                .payload(1)
                .notBefore(Instant.now().plusSeconds(3600))
                .build());
        publisher.publish("a", 2);
        publisher.publish("b", 3);
        drain();
        assertThat(sender.payloads()).containsExactly("3");

        makeDue();
        drain();
        assertThat(sender.payloads()).containsExactly("3", "1", "2");
    }

    @Test
    void aKeyWithManyMessagesBehindAFailedOneHidesNoOther() {
        sender.failing("0", POISON);
        for (int i = 0; i < 50; i++) {
            new Publisher(database.dataSource(), 1).publish("a", i);
        }
        drain();
        new Publisher(database.dataSource(), 1).publish("b", 99);
        drain();

        assertThat(sender.payloads()).containsExactly("99");
        makeDueAgain("0");
        sender.answering(message -> CompletableFuture.completedFuture(null));
        drain();
        assertThat(sender.payloads())
                .hasSize(51)
                .startsWith("99", "0", "1", "2")
                .endsWith("48", "49");
    }

    @Test
    void ofOneKeyTheNextStartsAfterTheAcknowledgementAndOtherKeysDoNotWait() {
        CompletableFuture<Void> acknowledged = new CompletableFuture<>();
        sender.answering(
                message -> message.payload().equals("1") ? acknowledged : CompletableFuture.completedFuture(null));
        publisher.publish("a", 1);
        publisher.publish("a", 2);
        publisher.publish("b", 3);
        publisher.publish("b", 4);
        CompletableFuture<Void> running = CompletableFuture.runAsync(relay::sendBatch);
        awaitTrue(() -> sender.payloads().containsAll(List.of("3", "4")));

        assertThat(sender.begunPayloads()).contains("1").doesNotContain("2");
        acknowledged.complete(null);
        running.join();
        assertThat(sender.payloads()).containsExactly("3", "4", "1", "2");
    }

    @Test
    void noMoreAreOnTheirWayThanTheSenderWants() {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        sender.withConcurrency(2).answering(message -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            return CompletableFuture.runAsync(
                    now::decrementAndGet, CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS));
        });
        for (int i = 0; i < 10; i++) {
            publisher.publish(null, i);
        }
        drain();

        assertThat(sender.sent).hasSize(10);
        assertThat(most).hasValue(2);
    }

    @Test
    void aSenderThatDoesNotAnswerHasFailedAndIsCancelled() {
        CompletableFuture<Void> never = new CompletableFuture<>();
        sender.answering(message -> message.payload().equals("1") ? never : CompletableFuture.completedFuture(null));
        publisher.publish("a", 1);
        publisher.publish("b", 2);
        relay(publisher.store, settings(3, Duration.ofSeconds(1))).sendBatch();

        assertThat(Publisher.states(admin)).containsExactly("1 pending", "2 sent");
        assertThat(events.failed)
                .singleElement()
                .satisfies(failed -> assertThat(failed.failure()).isInstanceOf(TimeoutException.class));
    }

    @Test
    void aSenderThatBreaksOnOneMessageHarmsNoOther() {
        sender.answering(message -> switch (message.payload()) {
            case "1" -> throw new NoClassDefFoundError("of the sender");
            case "2" -> null;
            default -> CompletableFuture.completedFuture(null);
        });
        for (int i = 0; i < 4; i++) {
            publisher.publish(null, i);
        }

        assertThat(relay.sendBatch().more()).isTrue();

        assertThat(Publisher.states(admin)).containsExactly("0 sent", "1 pending", "2 pending", "3 sent");
        assertThat(admin.queryForList(
                        "select last_error from idempotency.outbox_event where status = 'pending' order by sequence",
                        String.class))
                .satisfiesExactly(
                        error -> assertThat(error).contains("NoClassDefFoundError"),
                        error -> assertThat(error).contains("RecordingSender").contains("no answer"));
    }

    @Test
    void aFailureThatCannotSayWhatItIsIsKeptByItsType() {
        publisher.publish(null, 1);
        OutboxRecord message = Taken.from(publisher.store).get(0);

        assertThat(new SendResult(message, SendResult.Status.FAILED, Duration.ZERO, new Indescribable()).error())
                .isEqualTo(Indescribable.class.getName());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "headers = '{\"empty\": null, \"kept\": 1}', idempotency_scope = chr(7), caller = '', idempotency_key = 'k' |",
                "headers = '{\"a\": \"\\u0000\", \"\\u0000\": \"\\ud800\"}' |",
                "headers = '{\"nested\": {\"a\": [1.50, \"\\u0000\"]}}' |",
                "headers = '[]' | its headers cannot be read: they are not a JSON object",
                "headers = 'null' | its headers cannot be read: they are not a JSON object",
                "headers = concat(repeat('[', 2000), repeat(']', 2000))::json | its headers cannot be read",
                "payload = concat('\"', repeat('x', 30000000), '\\u0000\"')::json |",
                "attempt_count = 2147483647 |",
                "attempt_count = -2147483648 |",
                "aggregate_type = chr(7), aggregate_id = null, topic = '', message_type = chr(10) |",
                "created_at = '-infinity', due_at = '-infinity', next_attempt_at = '-infinity' |",
                "created_at = 'infinity', due_at = 'infinity' |",
                "created_at = '4713-01-01 BC', due_at = '4713-01-01 BC' |",
                "created_at = '294276-12-31', due_at = '294276-12-31' |",
            })
    void aRowThatWasWrittenByHandHoldsNothingUp(String change, String problem) {
        publisher.publish("a", 1);
        publisher.publish("a", 2);
        publisher.publish("b", 3);
        admin.execute("update idempotency.outbox_event set " + change + " where payload::text = '1'");
        MessagingAdministration administration =
                new PostgresMessageStorage(database.dataSource(), "idempotency").administration();

        assertThat(administration.findPendingMessages(10)).hasSize(3);
        assertThat(publisher.store.backlog(10).pending()).isEqualTo(3);
        drain();

        assertThat(sender.payloads()).contains("3");
        if (problem == null) {
            assertThat(sender.sent).hasSize(3);
        } else {
            assertThat(sender.sent).hasSize(1);
            assertThat(administration.findPendingMessages(10).get(0))
                    .satisfies(left -> assertThat(left.lastError()).contains(problem))
                    .satisfies(left -> assertThat(left.attempts()).isZero());
        }
    }

    @Test
    void headersKeepTheirTextAndWhatIsNullIsNone() {
        publisher.publish("a", 1);
        admin.execute("update idempotency.outbox_event set headers ="
                + " '{\"empty\": null, \"number\": 1.50, \"object\": {\"a\" : [\"}\"]}, \"text\": \"\\u20ac\"}'");

        drain();

        assertThat(sender.sent.get(0).headers())
                .isEqualTo(Map.of("number", "1.50", "object", "{\"a\" : [\"}\"]}", "text", "\u20ac"));
    }

    @Test
    void aMessageThatThisVersionCannotReadIsNoAttemptForAnHour() {
        sender.failing("1", new OtherVersionException("The payload cannot be read", null));
        publisher.publish("a", 1);
        publisher.publish("a", 2);
        publisher.publish("b", 3);
        drain();
        makeDue();
        drain();

        assertThat(sender.payloads()).containsExactly("3");
        assertThat(admin.queryForMap("select attempt_count, last_error, next_attempt_at - clock_timestamp()"
                        + " between interval '1 second' and interval '1 minute' as soon, due_at < next_attempt_at as late"
                        + " from idempotency.outbox_event where payload::text = '1'"))
                .isEqualTo(Map.of(
                        "attempt_count",
                        0,
                        "last_error",
                        OtherVersionException.class.getName() + ": The payload cannot be read",
                        "soon",
                        true,
                        "late",
                        true));
        assertThat(events.failed).isEmpty();

        admin.execute("update idempotency.outbox_event set due_at = due_at - interval '2 hours'");
        for (int i = 0; i < 3; i++) {
            makeDue();
            drain();
        }
        assertThat(Publisher.states(admin)).containsExactly("1 dead", "2 sent", "3 sent");
        assertThat(events.failed).extracting(MessageSendFailed::dead).containsExactly(false, false, true);
    }

    @Test
    void aRelayLeavesTopicsThatItDoesNotSendAndWhatIsBehindThem() {
        sender.withTopics("orders", "others");
        publisher.publish("a", 1);
        publisher.publish(OutboxMessage.of("invoices", "Invoice")
                .orderingKey("a")
                .payload(2)
                .build());
        publisher.publish("a", 3);
        publisher.publish("b", 4);
        for (int i = 0; i < 30; i++) {
            publisher.publish(OutboxMessage.of("invoices", "Invoice")
                    .orderingKey("b")
                    .payload(i)
                    .build());
            publisher.publish(new Lanes(64).of("b") == i ? "c" : "b", 100 + i);
        }
        publisher.publish("b", 200);
        admin.execute("update idempotency.outbox_event set lane = 1");
        publisher.publish("d", 300);
        admin.execute("update idempotency.outbox_event set lane = 1");

        drain();

        assertThat(sender.payloads()).contains("1", "4", "300").doesNotContain("2", "3", "0", "101", "200");
        assertThat(admin.queryForList(
                        "select distinct attempt_count from idempotency.outbox_event" + " where status = 'pending'",
                        Integer.class))
                .containsExactly(0);
        sender.withTopics("invoices");
        drain();
        sender.withTopics();
        drain();
        assertThat(sender.payloads()).contains("2").doesNotContain("3");
        sender.withTopics("orders", "invoices");
        drain();
        assertThat(Publisher.states(admin)).allMatch(state -> state.endsWith("sent"));
        assertThat(sender.payloads().indexOf("3"))
                .isGreaterThan(sender.payloads().indexOf("2"));
    }

    @Test
    void aRelayOfAllTopicsLeavesThoseOfAnotherApplicationAndWhatIsBehindThem() {
        admin.execute(
                "insert into idempotency.owner values ('topic', 'invoices', 'billing', now()),"
                        + " ('topic', 'orders', 'shop', now()), ('topic', 'nobodys', '', now()), ('scope', 'free', 'billing', now())");
        try {
            for (String topic : List.of("orders", "nobodys", "free", "invoices", "orders")) {
                publisher.publish(OutboxMessage.of(topic, "Placed")
                        .orderingKey("a")
                        .payload(topic)
                        .build());
            }
            // As many as a batch has, in the lane of a message that may be sent.
            for (int i = 0; i < 10; i++) {
                publisher.publish("a", i);
            }
            publisher.publish("b", 200);
            admin.execute("update idempotency.outbox_event set lane = 1");
            drain();
            assertThat(publisher.store.backlog(10).topicsOfOthers()).containsExactly("invoices");
        } finally {
            admin.execute("truncate idempotency.owner");
        }

        assertThat(sender.payloads()).containsExactlyInAnyOrder("\"orders\"", "\"nobodys\"", "\"free\"", "200");
        drain();
        assertThat(sender.payloads()).containsSubsequence("\"invoices\"", "\"orders\"", "0", "9");
    }

    @Test
    void aTopicThatIsLateAndNotSentHereIsNamed() {
        sender.withTopics("orders");
        publisher.publish(OutboxMessage.of("invoices", "Invoice").payload(1).build());
        publisher.publish(null, 2);
        relay.sample();
        admin.execute("update idempotency.outbox_event set due_at = due_at - interval '2 minutes'");
        relay.sample();
        relay.sample();

        assertThat(events.sampled)
                .extracting(OutboxSampled::lateTopics)
                .containsExactly(List.of(), List.of("invoices", "orders"), List.of("invoices", "orders"));
    }

    @Test
    void anOutageUsesUpNoAttemptsAndPauses() {
        SenderUnavailableException outage = new SenderUnavailableException("no broker", null);
        sender.answering(message -> CompletableFuture.failedFuture(outage));
        publisher.publish("a", 1);
        publisher.publish("b", 2);
        for (int i = 0; i < 5; i++) {
            makeDue();
            assertThat(relay.sendBatch().pause()).isEqualTo(Duration.ofMinutes(1));
        }
        assertThat(admin.queryForList("select attempt_count from idempotency.outbox_event", Integer.class))
                .containsOnly(0);

        sender.answering(message -> CompletableFuture.completedFuture(null));
        makeDue();
        drain();
        assertThat(sender.payloads()).containsExactlyInAnyOrder("1", "2");
    }

    @Test
    void whatIsUnavailableForOneMessageOnlyCountsAsItsFailure() {
        sender.failing("1", new SenderUnavailableException("no such topic", null));
        publisher.publish("a", 1);
        publisher.publish("b", 2);

        assertThat(relay.sendBatch().more()).isTrue();
        assertThat(admin.queryForList(
                        "select attempt_count from idempotency.outbox_event order by sequence", Integer.class))
                .containsExactly(1, 1);
    }

    @Test
    void stoppingFinishesWhatIsOnItsWayAndBeginsNothing() {
        CompletableFuture<Void> acknowledged = new CompletableFuture<>();
        sender.withConcurrency(1).answering(message -> acknowledged);
        publisher.publish("a", 1);
        publisher.publish("a", 2);
        publisher.publish("b", 3);
        CompletableFuture<Void> running = CompletableFuture.runAsync(relay::sendBatch);
        awaitTrue(() -> sender.begun.size() == 1);
        relay.stop();
        acknowledged.complete(null);
        running.join();

        assertThat(sender.sent).hasSize(1);
        assertThat(Publisher.states(admin))
                .filteredOn(state -> state.endsWith("sent"))
                .hasSize(1);
    }

    @Test
    @Tag("race")
    void theResultsOfABatchWhoseConnectionWasLostAreStoredOnAnother() {
        UUID id = publisher.publish("a", 1);
        publisher.publish("b", 2);
        AtomicInteger kills = new AtomicInteger();
        sender.answering(message -> {
            if (kills.getAndIncrement() == 0) {
                killTheRelay();
            }
            return message.payload().equals("1")
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(POISON);
        });
        OutboxRelay unlucky = relay(new Publisher(database.dataSource(1)).store, settings(3, Duration.ofSeconds(10)));

        assertThat(unlucky.sendBatch().more()).isTrue();
        assertThat(unlucky.sendBatch()).isEqualTo(OutboxRelay.Round.NOTHING_DUE);

        assertThat(kills).hasValue(2);
        assertThat(admin.queryForList(
                        "select payload || ' ' || status || ' ' || attempt_count || ' ' || coalesce(last_error, '')"
                                + " from idempotency.outbox_event order by sequence",
                        String.class))
                .containsExactly("1 sent 1 ", "2 pending 1 " + POISON);
        assertThat(events.sent).extracting(MessageSent::messageId).containsExactly(id);
        assertThat(events.failed).hasSize(1);
    }

    @Test
    void aSessionThatListensMayBeIdleWhateverTheLimitOfTheRole() {
        PGSimpleDataSource limited = new PGSimpleDataSource();
        limited.setUrl(database.jdbcUrl());
        limited.setUser(database.username());
        limited.setPassword(database.password());
        limited.setOptions("-c idle_session_timeout=100");
        AtomicInteger asked = new AtomicInteger();

        new PostgresMessageStorage(limited, MigratedTables.SCHEMA)
                .outboxChannel()
                .listen(() -> {}, () -> asked.incrementAndGet() > 3, Duration.ofMillis(100));

        assertThat(asked).hasValue(4);
    }

    /** A relay that marks its results late must not undo the marks of another relay. */
    @Test
    @Tag("race")
    void aResultThatIsLateIsNotStoredOverThatOfAnotherRelay() {
        publisher.publish("a", 1);
        OutboxRelay other = relay(new Publisher(database.dataSource(1)).store, settings(3, Duration.ofSeconds(10)));

        assertThatThrownBy(() -> publisher.store.send(10, Duration.ofSeconds(10), null, messages -> {
                    killTheRelay();
                    awaitTrue(() -> other.sendBatch().more());
                    return messages.stream()
                            .map(message -> new SendResult(
                                    message.message(), SendResult.Status.FAILED, Duration.ofMinutes(1), POISON))
                            .toList();
                }))
                .isInstanceOfAny(DataAccessException.class, TransactionException.class);

        assertThat(Publisher.states(admin)).containsExactly("1 sent");
        assertThat(sender.payloads()).containsExactly("1");
    }

    /** Each limit is shorter than the batch. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "statement_timeout",
                "lock_timeout",
                "transaction_timeout",
                "idle_in_transaction_session_timeout",
                "idle_session_timeout"
            })
    void noLimitOfARoleEndsABatch(String limit) {
        assumeTrue(admin.queryForObject("select current_setting(?, true) is not null", Boolean.class, limit));
        publisher.publish("a", 1);
        publisher.publish("a", 2);
        sender.answering(
                message -> CompletableFuture.runAsync(() -> database.jdbc().queryForList("select pg_sleep(0.3)")));
        PGSimpleDataSource limited = new PGSimpleDataSource();
        limited.setUrl(database.jdbcUrl());
        limited.setUser(database.username());
        limited.setPassword(database.password());
        limited.setOptions("-c " + limit + "=200");
        AtomicInteger connections = new AtomicInteger();
        DataSource counted = new DelegatingDataSource(limited) {
            @Override
            public Connection getConnection() throws SQLException {
                connections.incrementAndGet();
                return super.getConnection();
            }
        };

        relay(new Publisher(counted).store, settings(3, Duration.ofSeconds(10))).sendBatch();

        assertThat(connections)
                .as("the results are stored on the connection of the batch")
                .hasValue(1);
        assertThat(Publisher.states(admin)).containsExactly("1 sent", "2 sent");
        assertThat(sender.payloads()).containsExactly("1", "2");
    }

    private void killTheRelay() {
        int pid = database.backends().activity().stream()
                .filter(Backends.Backend::inTransaction)
                .map(Backends.Backend::pid)
                .findFirst()
                .orElseThrow();
        database.backends().terminate(pid);
    }

    @Test
    @Tag("race")
    void aBatchWhoseCommitGoesUnansweredIsNotSentAgain() {
        try (CuttingProxy proxy = CuttingProxy.of(database)) {
            OutboxRelay unlucky = relay(new Publisher(proxy.dataSource(2)).store, settings(3, Duration.ofSeconds(10)));
            publisher.publish("a", 1);
            proxy.cutNext("COMMIT", CuttingProxy.Point.BEFORE_IT_IS_SENT);
            unlucky.sendBatch();
            publisher.publish("a", 2);
            proxy.cutNext("COMMIT", CuttingProxy.Point.BEFORE_ITS_ANSWER_IS_DELIVERED);
            assertThatThrownBy(unlucky::sendBatch)
                    .isInstanceOfAny(DataAccessException.class, TransactionException.class);
            assertThat(proxy.cuts()).isEqualTo(2);
            unlucky.sendBatch();
        }

        assertThat(Publisher.states(admin)).containsExactly("1 sent", "2 sent");
        assertThat(sender.payloads()).containsExactly("1", "2");
    }

    @Test
    void aRelayThatHangsLosesItsTransactionToTheServer() {
        publisher.publish("a", 1);
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch hung = new CountDownLatch(1);
        CompletableFuture<Void> hanging =
                CompletableFuture.runAsync(() -> publisher.store.send(10, Duration.ofMillis(100), null, messages -> {
                    taken.countDown();
                    await(hung);
                    return Taken.asSent(messages);
                }));
        await(taken);
        OutboxStore other = new Publisher(database.dataSource()).store;
        awaitTrue(() -> Taken.from(other).size() == 1);
        hung.countDown();

        hanging.join();
        assertThat(Publisher.states(admin)).containsExactly("1 sent");
    }

    @Test
    void aLaneIsSentByOneRelayAtATimeAndOthersAreFree() {
        publisher.publish("a", 1);
        publisher.publish("b", 2);
        int laneOfA = new Lanes(64).of("a");
        assertThat(new Lanes(64).of("b")).isNotEqualTo(laneOfA);

        publisher.store.send(1, Duration.ofSeconds(10), null, first -> {
            // Whichever lane the first relay took: another message of that lane is not for the second one.
            String key = first.get(0).message().orderingKey();
            String neighbour = neighbourOf(key);
            publisher.publishInAnotherThread(Publisher.message(neighbour, 3));

            assertThat(Taken.inAnotherThread(publisher.store))
                    .extracting(OutboxRecord::orderingKey)
                    .containsExactly(key.equals("a") ? "b" : "a");
            return List.of();
        });

        assertThat(Taken.from(publisher.store)).hasSize(3);
    }

    private static String neighbourOf(String key) {
        Lanes lanes = new Lanes(64);
        for (int i = 0; ; i++) {
            if (lanes.of("neighbour-" + i) == lanes.of(key)) {
                return "neighbour-" + i;
            }
        }
    }

    @Test
    void instancesThatDivideKeysAmongAnotherNumberOfLanesKeepTheOrderToo() {
        publisher.publish("a", 1);
        Publisher other = new Publisher(database.dataSource(), 7);
        assertThat(new Lanes(7).of("a")).isNotEqualTo(new Lanes(64).of("a"));

        publisher.store.send(10, Duration.ofSeconds(10), null, first -> {
            other.publishInAnotherThread(Publisher.message("a", 2));
            other.publishInAnotherThread(Publisher.message("b", 3));

            assertThat(Taken.inAnotherThread(publisher.store))
                    .extracting(OutboxRecord::payload)
                    .containsExactly("3");
            return List.of();
        });

        assertThat(Taken.from(publisher.store))
                .extracting(OutboxRecord::payload)
                .containsExactly("1", "2", "3");
    }

    @Test
    void aRowThatSomebodyHasLockedHoldsBackItsKeyAndNotTheRelay() {
        publisher.publish("a", 1);
        publisher.publish("a", 2);
        publisher.publish("b", 3);
        publisher.transaction.executeWithoutResult(operator -> {
            publisher.jdbc.queryForList("select 1 from idempotency.outbox_event where payload::text = '1' for update");

            assertThat(Taken.inAnotherThread(publisher.store))
                    .extracting(OutboxRecord::payload)
                    .containsExactly("3");
        });
    }

    @Test
    void aFullBatchLeavesOtherLanesToOtherRelays() {
        for (int i = 0; i < 40; i++) {
            publisher.publish("key-" + i, i);
        }

        publisher.store.send(10, Duration.ofSeconds(10), null, first -> {
            assertThat(first).hasSizeBetween(10, 19);
            assertThat(Taken.inAnotherThread(publisher.store)).hasSizeGreaterThan(10);
            return List.of();
        });
    }

    /** With the queries of the operators' page. */
    @Test
    void operatorsSeeWhatWaitsAndWhichLanesAreBeingSent() {
        publisher.publish("a", 1);
        assertThat(admin.queryForList("""
                        select topic, count(*), min(due_at) as oldest, max(attempt_count) as attempts,
                               max(last_error) as an_error
                        from idempotency.outbox_event
                        where status = 'pending'
                        group by topic"""))
                .singleElement()
                .satisfies(
                        row -> assertThat(row).containsEntry("topic", "orders").containsEntry("count", 1L));

        publisher.store.send(10, Duration.ofSeconds(10), null, first -> {
            assertThat(admin.queryForList("""
                            select objid as lane
                            from pg_locks
                            where locktype = 'advisory' and classid = 'idempotency.outbox_event'::regclass""", Long.class)).containsExactly((long) new Lanes(64).of("a"));
            return List.of();
        });
    }

    @Test
    void theBacklogIsCountedAndItsAgeIsThatOfWhatIsDue() {
        assertThat(publisher.store.backlog(100))
                .isEqualTo(new OutboxStore.Backlog(0, 0, Duration.ZERO, List.of(), List.of()));
        publisher.publish(OutboxMessage.of("orders", "Reminder")
                .withoutPayload()
                .notBefore(Instant.now().plusSeconds(3600))
                .build());
        assertThat(publisher.store.backlog(100))
                .isEqualTo(new OutboxStore.Backlog(1, 0, Duration.ZERO, List.of(), List.of()));

        publisher.publish("a", 1);
        publisher.publish("a", 2);
        admin.execute("update idempotency.outbox_event set due_at = due_at - interval '5 minutes'"
                + " where payload::text = '2'");

        OutboxStore.Backlog backlog = publisher.store.backlog(100);
        assertThat(backlog.pending()).isEqualTo(3);
        assertThat(backlog.oldest()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
        assertThat(publisher.store.backlog(2).pending()).isEqualTo(2);
    }

    private void drain() {
        while (relay.sendBatch().more()) {
            assertThat(sender.begun).hasSizeLessThan(10_000);
        }
    }

    /** As if the time of every next attempt had come. */
    private void makeDue() {
        admin.execute("update idempotency.outbox_event set next_attempt_at = now()"
                + " where status = 'pending' and next_attempt_at > clock_timestamp()");
    }

    private void makeDueAgain(String payload) {
        admin.update(
                "update idempotency.outbox_event set next_attempt_at = clock_timestamp() where payload::text = ?",
                payload);
    }

    private static void awaitTrue(Callable<Boolean> condition) {
        Awaitility.await().until(condition);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** A failure whose message fails. */
    private static final class Indescribable extends RuntimeException {

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    private static final class Events implements MessagingListener {

        private final Queue<MessageSent> sent = new ConcurrentLinkedQueue<>();

        private final Queue<MessageSendFailed> failed = new ConcurrentLinkedQueue<>();

        private final Queue<OutboxSampled> sampled = new ConcurrentLinkedQueue<>();

        @Override
        public void outboxSampled(OutboxSampled event) {
            sampled.add(event);
        }

        @Override
        public void messageSent(MessageSent event) {
            sent.add(event);
        }

        @Override
        public void messageSendFailed(MessageSendFailed event) {
            failed.add(event);
        }
    }
}
