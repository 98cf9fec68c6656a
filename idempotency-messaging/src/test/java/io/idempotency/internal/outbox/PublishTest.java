package io.idempotency.internal.outbox;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.AbstractList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.util.RawValue;

import io.idempotency.IdempotencyContextHolder;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.outbox.DeduplicationKeyReusedException;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What publishing leaves in the table, and when others see it. */
@PostgresTest
class PublishTest {

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final Publisher publisher;

    PublishTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.publisher = new Publisher(database.dataSource());
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
    void everythingOfAMessageIsKept() {
        Instant tomorrow = Instant.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MICROS);
        UUID id = publisher.publish(OutboxMessage.of("orders", "OrderPlaced")
                .orderingKey("customer-7")
                .aggregate("order", "42")
                .payload(Map.of("cents", 1250))
                .header("source", "\u20acshop")
                .notBefore(tomorrow)
                .deduplicationKey("order-42-placed")
                .build());

        Map<String, Object> row = admin.queryForMap("select *, payload::text as body, headers->>'source' as source,"
                + " headers->>'trace' as trace, due_at = next_attempt_at and due_at > created_at as later"
                + " from idempotency.outbox_event");
        assertThat(row)
                .containsEntry("message_id", id)
                .containsEntry("topic", "orders")
                .containsEntry("message_type", "OrderPlaced")
                .containsEntry("ordering_key", "customer-7")
                .containsEntry("aggregate_type", "order")
                .containsEntry("aggregate_id", "42")
                .containsEntry("body", "{\"cents\":1250}")
                .containsEntry("source", "\u20acshop")
                .containsEntry("trace", "of-the-publisher")
                .containsEntry("deduplication_key", "order-42-placed")
                .containsEntry("status", "pending")
                .containsEntry("attempt_count", 0)
                .containsEntry("later", true)
                .containsEntry("sent_at", null)
                .containsEntry("expires_at", null)
                .containsEntry("idempotency_key", null);
        assertThat(admin.queryForObject("select due_at from idempotency.outbox_event", OffsetDateTime.class)
                        .toInstant())
                .isEqualTo(tomorrow);
    }

    @Test
    void scopeCallerAndKeyOfTheSurroundingCallAreKeptBesideIt() {
        Intent intent = new Intent("payments", "alice", new IdempotencyKey("order-42"));
        IdempotencyContextHolder.exchange(CallStub.of(intent));
        try {
            publisher.publish(null, 1);
        } finally {
            IdempotencyContextHolder.exchange(null);
        }

        assertThat(admin.queryForObject(
                        "select idempotency_scope || ' ' || caller || ' ' || idempotency_key"
                                + " from idempotency.outbox_event",
                        String.class))
                .isEqualTo("payments alice order-42");
        assertThat(Taken.from(publisher.store)).extracting(OutboxRecord::intent).containsExactly(intent);
    }

    @Test
    void whatIsRolledBackLeavesNoMessage() {
        publisher.transaction.executeWithoutResult(status -> {
            publisher.outbox.publish(Publisher.message("a", 1));
            status.setRollbackOnly();
        });

        assertThat(Publisher.states(admin)).isEmpty();
        assertThat(publisher.wakes).hasValue(0);
    }

    @Test
    void noRelaySeesAMessageBeforeItsCommit() {
        publisher.transaction.executeWithoutResult(status -> {
            publisher.outbox.publish(Publisher.message("a", 1));

            assertThat(Taken.inAnotherThread(publisher.store)).isEmpty();
        });

        assertThat(Taken.from(publisher.store))
                .extracting(OutboxRecord::payload)
                .containsExactly("1");
    }

    @Test
    void oneCommitWakesTheRelayOnce() {
        publisher.transaction.executeWithoutResult(status -> {
            for (int i = 0; i < 3; i++) {
                publisher.outbox.publish(Publisher.message("a", i));
            }
            assertThat(publisher.wakes).hasValue(0);
        });

        assertThat(publisher.wakes).hasValue(1);
    }

    @Test
    void withoutATransactionItIsRefused() {
        assertThatThrownBy(() -> publisher.outbox.publish(Publisher.message("a", 1)))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("Messages can be published");
        Publisher elsewhere = new Publisher(database.dataSource(1));
        assertThatThrownBy(() ->
                        elsewhere.transaction.execute(status -> publisher.outbox.publish(Publisher.message("a", 1))))
                .isInstanceOf(TransactionMismatchException.class);

        assertThat(Publisher.states(admin)).isEmpty();
    }

    @Test
    void aDeduplicationKeyIsPublishedOnceAndPoisonsNothing() {
        OutboxMessage message = OutboxMessage.of("orders", "OrderPlaced")
                .payload(1)
                .deduplicationKey("order-42")
                .build();
        UUID first = publisher.publish(message);
        publisher.transaction.executeWithoutResult(status -> {
            assertThat(publisher.outbox.publish(message)).isEqualTo(first);
            publisher.outbox.publish(Publisher.message(null, 2));
        });

        assertThat(Publisher.states(admin)).containsExactly("1 pending", "2 pending");
    }

    @Test
    void aDeduplicationKeyBelongsToItsTopic() {
        UUID order = publisher.publish(OutboxMessage.of("orders", "Placed")
                .payload(1)
                .deduplicationKey("42")
                .build());
        UUID invoice = publisher.publish(OutboxMessage.of("invoices", "Placed")
                .payload(2)
                .deduplicationKey("42")
                .build());

        assertThat(invoice).isNotEqualTo(order);
        assertThat(Publisher.states(admin)).containsExactly("1 pending", "2 pending");
    }

    static Stream<OutboxMessage> otherMessagesWithTheKey() {
        return Stream.of(
                OutboxMessage.of("orders", "OrderPlaced")
                        .payload(Map.of("id", 2))
                        .deduplicationKey("order-42")
                        .build(),
                OutboxMessage.of("orders", "OrderCancelled")
                        .payload(Map.of("id", 1))
                        .deduplicationKey("order-42")
                        .build());
    }

    @ParameterizedTest
    @MethodSource("otherMessagesWithTheKey")
    void aDeduplicationKeyRefusesAnotherMessageAndItsTransaction(OutboxMessage other) {
        UUID first = publisher.publish(OutboxMessage.of("orders", "OrderPlaced")
                .payload(Map.of("id", 1))
                .deduplicationKey("order-42")
                .build());

        assertThatThrownBy(() -> publisher.transaction.executeWithoutResult(status -> {
                    publisher.outbox.publish(Publisher.message(null, 2));
                    assertThatThrownBy(() -> publisher.outbox.publish(other))
                            .isInstanceOf(DeduplicationKeyReusedException.class)
                            .hasMessage("The deduplication key 'order-42' of the topic 'orders' belongs to the message "
                                    + first
                                    + ", which has another type or payload, so that this one was not recorded: use a"
                                    + " key that is unique for each message of the topic");
                }))
                .as("a publisher that swallows it")
                .isInstanceOf(TransactionFailedException.class);

        assertThat(Publisher.states(admin)).containsExactly("{\"id\":1} pending");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"a\": 1, \"b\": [1e2]} | {\"b\":[100.0],\"a\":1.00} | true",
                "{\"a\": null} | {} | false",
                "[1,2] | [2,1] | false",
                "\"1\" | 1 | false",
                "\"\\u0000\" | \"\\u0000\" | true",
                "[\"\\u0000\"] | [\"\\u0001\"] | false",
                "[\"\\ud800\", 1] | [\"\\ud800\", 2] | false",
                "1e99999999 | 1e99999998 | false",
                "1 | | false",
                "| | true",
            })
    void payloadsAreComparedByTheirValueAlsoIfTheDatabaseCannot(String first, String second, boolean same) {
        OutboxMessage.Builder message =
                OutboxMessage.of("orders", "OrderPlaced").deduplicationKey("order-42");
        UUID id = publisher.publish(
                (first == null ? message.withoutPayload() : message.payload(new RawValue(first))).build());
        OutboxMessage again =
                (second == null ? message.withoutPayload() : message.payload(new RawValue(second))).build();

        if (same) {
            assertThat(publisher.publish(again)).isEqualTo(id);
        } else {
            assertThatThrownBy(() -> publisher.publish(again)).isInstanceOf(DeduplicationKeyReusedException.class);
        }
    }

    @Test
    void theOrderOfMembersMakesNoOtherPayload() {
        OutboxMessage.Builder message =
                OutboxMessage.of("orders", "OrderPlaced").deduplicationKey("order-42");
        UUID first = publisher.publish(
                message.payload(new TreeMap<>(Map.of("a", 1, "b", 2))).build());

        assertThat(publisher.publish(message.payload(new TreeMap<>(Map.of("a", 1, "b", 2)).descendingMap())
                        .build()))
                .isEqualTo(first);
    }

    @Test
    void aDeduplicationKeyThatIsRolledBackIsFree() throws Exception {
        OutboxMessage message = OutboxMessage.of("orders", "OrderPlaced")
                .withoutPayload()
                .deduplicationKey("order-42")
                .build();
        CountDownLatch published = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(1);
        ConcurrentCalls<UUID> calls = ConcurrentCalls.start(List.of(
                () -> publisher.transaction.execute(status -> {
                    UUID id = publisher.outbox.publish(message);
                    published.countDown();
                    await(waiting);
                    status.setRollbackOnly();
                    return id;
                }),
                () -> {
                    await(published);
                    return publisher.publish(message);
                }));
        database.backends().awaitBlocked(1);
        waiting.countDown();
        List<UUID> ids = calls.await().requireAllSucceeded();

        assertThat(ids.get(1)).isNotEqualTo(ids.get(0));
        assertThat(admin.queryForList("select message_id from idempotency.outbox_event", UUID.class))
                .containsExactly(ids.get(1));
    }

    @Test
    void aDuplicateInASnapshotThatIsOlderIsRetriedByTheServersError() {
        OutboxMessage message = OutboxMessage.of("orders", "OrderPlaced")
                .withoutPayload()
                .deduplicationKey("order-42")
                .build();
        publisher.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);

        assertThatThrownBy(() -> publisher.transaction.executeWithoutResult(status -> {
                    publisher.jdbc.queryForObject("select 1", Integer.class);
                    new Publisher(database.dataSource()).publishInAnotherThread(message);
                    publisher.outbox.publish(message);
                }))
                .isInstanceOf(ConcurrencyFailureException.class);
    }

    @Test
    void whatCannotBeWrittenIsRefusedBeforeTheDatabaseIsTouched() {
        publisher.transaction.executeWithoutResult(status -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> publisher.outbox.publish(Publisher.message("a", "x".repeat(1_000))))
                    .withMessageContaining("1002 bytes, more than idempotency.outbox.max-payload-size = 1000");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> publisher.outbox.publish(Publisher.message("a", "\ud800")))
                    .withMessageContaining("half of a surrogate pair");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> publisher.outbox.publish(Publisher.message("a", new Unwritable())))
                    .withMessageContaining("OrderPlaced for topic orders cannot be written as JSON");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> publisher.outbox.publish(Publisher.message("a", List.of(new BitSet()))))
                    .withMessageContaining("The state of java.util.BitSet is not in its JSON");
            for (Object nothing : new Object[] {Optional.empty(), NullNode.instance, new AtomicReference<>()}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> publisher.outbox.publish(Publisher.message("a", nothing)))
                        .withMessageContaining("OrderPlaced for topic orders is written as null");
            }
        });

        assertThat(Publisher.states(admin)).isEmpty();
    }

    @Test
    void timesThatTheDatabaseDoesNotHaveAreRefusedOrLongAgo() {
        OutboxMessage.Builder message = OutboxMessage.of("orders", "Reminder").payload(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> message.notBefore(Instant.MAX))
                .withMessageContaining("would never be");
        publisher.publish(message.notBefore(Instant.MIN).build());

        assertThat(Taken.from(publisher.store)).hasSize(1);
    }

    /** A collection that cannot be read. */
    private static final class Unwritable extends AbstractList<String> {

        @Override
        public String get(int index) {
            throw new IllegalStateException("not now");
        }

        @Override
        public int size() {
            return 1;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
