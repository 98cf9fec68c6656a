package io.idempotency.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.postgres.MigratedTables;
import io.idempotency.postgres.PostgresStorage;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What partitions of messages that were sent hold, and what becomes of deduplication keys without a unique index. */
@PostgresTest
class SentMessagePartitionsTest {

    private static final int RACES = TestSize.pick(150, 3_000);

    private static final IdempotencyAdministration.Reason REASON =
            new IdempotencyAdministration.Reason("operator", "the topic is there now");

    private static final int PUBLISHERS = 4;

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final Publisher publisher;

    SentMessagePartitionsTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.publisher = new Publisher(database.dataSource());
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        MigratedTables.withPartitionsOfSentMessages(database);
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.outbox_event, idempotency.outbox_deduplication");
    }

    @Test
    void whatIsSentMovesToAPartitionThatHoldsNothingElse() {
        publisher.publish("a", 1);
        assertThat(partitionOf("1")).isEqualTo("outbox_event_open");

        send();

        assertThat(partitionOf("1")).startsWith("outbox_event_sent_");
        assertThat(admin.queryForObject("select count(*) from idempotency.outbox_event_open", Integer.class))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status = 'pending', sent_at = null, expires_at = null",
                "status = 'dead', last_error = 'x', sent_at = null, expires_at = null"
            })
    void whatWaitsOrIsDeadCannotBeInAPartitionThatIsDropped(String assignment) {
        publisher.publish("a", 1);
        send();

        assertThatThrownBy(() -> admin.update("update idempotency.outbox_event_sent_rest set " + assignment))
                .isInstanceOf(DataAccessException.class)
                .hasMessageContaining("violates partition constraint");
        assertThat(admin.update("update idempotency.outbox_event set " + assignment))
                .isOne();
        assertThat(partitionOf("1")).isEqualTo("outbox_event_open");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status = 'done'",
                "status = 'sent', sent_at = now()",
                "status = 'sent', expires_at = now()",
                "status = 'dead', expires_at = now()",
                "sent_at = now()"
            })
    void nonsenseIsRefusedHere(String assignment) {
        publisher.publish("a", 1);

        assertThatThrownBy(() -> admin.update("update idempotency.outbox_event set " + assignment))
                .isInstanceOf(DataIntegrityViolationException.class);
        assertThat(Publisher.states(admin)).containsExactly("1 pending");
    }

    @Test
    void aDeadMessageStaysUntilItIsPutBackAndIsSentAgain() {
        UUID id = publishWithKey("order-42");
        end(Delivery.Result.DEAD);
        assertThat(partitionOf("1")).isEqualTo("outbox_event_open");
        IdempotencyAdministration administration =
                new PostgresStorage(database.dataSource(), "idempotency").administration();
        assertThat(administration.findDeadMessages(10))
                .singleElement()
                .satisfies(dead -> assertThat(dead.messageId()).isEqualTo(id));

        administration.requeue(id, REASON);
        send();

        assertThat(Publisher.states(admin)).containsExactly("1 sent");
        assertThat(publishWithKey("order-42")).isEqualTo(id);
        assertThatThrownBy(() -> administration.requeue(id, REASON)).hasMessageContaining("it is not dead but sent");
    }

    @Test
    void aMessageThatIsPutBackByHandAfterItWasSentKeepsItsKey() {
        UUID id = publishWithKey("order-42");
        send();
        admin.update("update idempotency.outbox_event set status = 'pending', sent_at = null, expires_at = null,"
                + " attempt_count = 0");

        assertThat(publishWithKey("order-42")).isEqualTo(id);
        assertThat(send()).isOne();
        assertThat(Publisher.states(admin)).containsExactly("1 sent");
    }

    /** The move is not committed yet, so that others see the message where it was. */
    @Test
    void aKeyWhoseMessageIsBeingMarkedIsTaken() {
        UUID id = publishWithKey("order-42");
        publisher.transaction.executeWithoutResult(relay -> {
            publisher.jdbc.update("update idempotency.outbox_event set status = 'sent', sent_at = now(),"
                    + " expires_at = now() + interval '3 days' where status = 'pending'");

            assertThat(CompletableFuture.supplyAsync(() -> publishWithKey("order-42"))
                            .orTimeout(20, TimeUnit.SECONDS)
                            .join())
                    .isEqualTo(id);
        });

        assertThat(Publisher.states(admin)).containsExactly("1 sent");
    }

    @Test
    @Tag("race")
    void aKeyIsPublishedOnceWhileItsMessageIsSent() {
        AtomicBoolean published = new AtomicBoolean();
        CompletableFuture<Integer> relay = CompletableFuture.supplyAsync(() -> {
            int sent = 0;
            while (!published.get()) {
                sent += send();
            }
            return sent + send();
        });
        Map<String, Set<UUID>> ids = new HashMap<>();
        for (int i = 0; i < RACES; i++) {
            String key = "order-" + i;
            ids.put(
                    key,
                    Set.copyOf(ConcurrentCalls.run(PUBLISHERS, () -> publishWithKey(key))
                            .requireAllSucceeded()));
        }
        published.set(true);

        assertThat(relay.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(RACES);
        assertThat(ids).allSatisfy((key, learned) -> assertThat(learned).hasSize(1));
        assertThat(admin.queryForList("select deduplication_key from idempotency.outbox_event", String.class))
                .containsExactlyInAnyOrderElementsOf(ids.keySet());
    }

    /** The keys of a partition are forgotten in batches, and need not be when it goes. */
    @Test
    @Tag("race")
    void aKeyThatIsLeftOverFromADroppedPartitionIsTakenOnce() {
        UUID id = publishWithKey("order-42");
        send();
        assertThat(publishWithKey("order-42")).isEqualTo(id);
        dropWhatWasSent();

        List<UUID> ids =
                ConcurrentCalls.run(8, () -> publishWithKey("order-42")).requireAllSucceeded();

        assertThat(ids).doesNotContain(id);
        assertThat(Set.copyOf(ids)).hasSize(1);
        assertThat(Publisher.states(admin)).containsExactly("1 pending");
    }

    /** Both have found that the message is gone, and one is stopped in the midst of taking its key. */
    @Test
    @Tag("race")
    void ofTwoThatTakeALeftOverKeyOneLearnsThatTheOtherWasFaster() throws SQLException {
        publishWithKey("order-42");
        send();
        dropWhatWasSent();
        admin.execute("""
                create function stop() returns trigger language plpgsql as
                    $$ begin perform pg_advisory_xact_lock_shared(42); return new; end $$;
                create trigger stop before update on idempotency.outbox_deduplication
                    for each row execute function stop()""");
        ConcurrentCalls<UUID> publishing;
        try (Connection gate = database.connection();
                Statement statement = gate.createStatement()) {
            statement.execute("select pg_advisory_lock(42)");
            publishing = ConcurrentCalls.start(2, () -> publishWithKey("order-42"));
            database.backends().awaitBlocked(2);
        }

        List<UUID> ids = publishing.await().requireAllSucceeded();
        admin.execute("drop function stop() cascade");
        assertThat(Set.copyOf(ids)).hasSize(1);
        assertThat(Publisher.states(admin)).containsExactly("1 pending");
    }

    private void dropWhatWasSent() {
        admin.execute("""
                drop table idempotency.outbox_event_sent_rest;
                create table idempotency.outbox_event_sent_rest partition of idempotency.outbox_event_sent (
                    constraint outbox_event_sent_rest_pkey primary key (message_id)
                ) for values from (minvalue) to (maxvalue)""");
    }

    @Test
    void aKeyOfAMessageThatWasDeletedIsFree() {
        UUID id = publishWithKey("order-42");
        end(Delivery.Result.DEAD);
        admin.update("delete from idempotency.outbox_event where status = 'dead'");

        assertThat(publishWithKey("order-42")).isNotEqualTo(id);
        assertThat(Publisher.states(admin)).containsExactly("1 pending");
    }

    @Test
    void aKeyThatIsChangedIsTakenAndTheOldOneFree() {
        UUID first = publishWithKey("order-42");
        UUID second = publishWithKey("order-43");
        assertThatThrownBy(() -> rename("order-42", "order-43"))
                .isInstanceOf(DataIntegrityViolationException.class)
                .hasMessageContaining("outbox_deduplication_pkey");

        rename("order-42", "order-44");

        assertThat(publishWithKey("order-44")).isEqualTo(first);
        assertThat(publishWithKey("order-42")).isNotIn(first, second);
    }

    private void rename(String from, String to) {
        admin.update("update idempotency.outbox_event set deduplication_key = ? where deduplication_key = ?", to, from);
    }

    /** Who copies messages in is told, because he may not expect one of them to be left out. */
    @Test
    void aSecondMessageOfAKeyThatIsNotToBeSentIsAnError() {
        UUID id = publishWithKey("order-42");
        send();

        assertThatThrownBy(() -> admin.update("""
                        insert into idempotency.outbox_event (
                            message_id, topic, message_type, lane, payload, headers, deduplication_key, status,
                            attempt_count, created_at, due_at, next_attempt_at, sent_at, expires_at)
                        values (gen_random_uuid(), 'orders', 'OrderPlaced', 0, '1', '{}', 'order-42', 'sent', 0,
                            now(), now(), now(), now(), now())"""))
                .isInstanceOf(DataIntegrityViolationException.class)
                .hasMessageContaining("outbox_event_deduplication")
                .hasMessageContaining(id.toString());
    }

    private UUID publishWithKey(String key) {
        return publisher.publish(messageWithKey(key));
    }

    private static OutboxMessage messageWithKey(String key) {
        return OutboxMessage.of("orders", "OrderPlaced")
                .payload(1)
                .deduplicationKey(key)
                .build();
    }

    private int send() {
        return publisher
                .store
                .send(100, Duration.ofSeconds(10), Taken::asSent)
                .deliveries()
                .size();
    }

    private void end(Delivery.Result result) {
        publisher.store.send(
                100,
                Duration.ofSeconds(10),
                messages -> messages.stream()
                        .map(message -> new Delivery(
                                message, result, Duration.ZERO, new IllegalStateException("no such topic")))
                        .collect(Collectors.toList()));
    }

    private String partitionOf(String payload) {
        return admin.queryForObject(
                "select c.relname from idempotency.outbox_event as m join pg_class as c on c.oid = m.tableoid"
                        + " where m.payload::text = ?",
                String.class,
                payload);
    }
}
