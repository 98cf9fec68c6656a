package io.idempotency.boot.outbox;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.PendingMessage;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.test.Backends;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/** Messages that the application handles itself: from the call to the effect of the handler, once. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class InProcessTest {

    private final TestDatabase database;

    @AutoClose
    private final OutboxApplication application;

    private final Invoices invoices;

    InProcessTest(TestDatabase database) {
        this.database = database;
        application = OutboxApplication.start(
                database,
                List.of(Invoices.class),
                "idempotency.outbox.send-timeout=1s",
                "idempotency.outbox.max-attempts=5",
                "idempotency.outbox.poll-interval=50ms",
                "idempotency.outbox.sample-interval=100ms",
                "idempotency.wait-timeout=500ms");
        invoices = application.bean(Invoices.class);
    }

    @AfterEach
    void clear() {
        await().until(() -> application.messages().stream().noneMatch(message -> message.endsWith("pending")));
        invoices.trouble = () -> {};
        application.clear();
    }

    @Test
    void aCallAndItsReplayReachEachHandlerOnce() {
        String id = application.shop().place("1");
        assertThat(application.shop().place("1")).isEqualTo(id);

        awaitSent("1");
        assertThat(application.invoices()).containsExactly("1 invoices", "1 statistics");
        assertThat(invoices.last.id()).hasToString(id);
        assertThat(invoices.last.intent()).isEqualTo(new Intent("orders", "", new IdempotencyKey("1")));
        assertThat(invoices.lastIntent).isEqualTo(new Intent("statistics", "", new IdempotencyKey(id)));
    }

    @Test
    void aHandlerThatThrowsHasOneEffectInTheEndAndTheOtherOneIsNotRepeated() {
        AtomicInteger calls = new AtomicInteger();
        invoices.trouble = () -> {
            if (calls.incrementAndGet() < 3) {
                throw new IllegalStateException("no paper");
            }
        };
        application.shop().place("1");

        awaitSent("1");
        assertThat(calls).hasValue(3);
        assertThat(application.invoices()).containsExactly("1 invoices", "1 statistics");
    }

    @Test
    void aHandlerThatIsTooSlowIsInterruptedAndHasOneEffect() {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger interrupts = new AtomicInteger();
        invoices.trouble = () -> {
            if (calls.incrementAndGet() == 1) {
                try {
                    new CountDownLatch(1).await(30, TimeUnit.SECONDS);
                } catch (InterruptedException tooSlow) {
                    interrupts.incrementAndGet();
                    throw new IllegalStateException(tooSlow);
                }
            }
        };
        application.shop().place("1");

        awaitSent("1");
        assertThat(interrupts).hasValue(1);
        assertThat(application.invoices()).containsExactly("1 invoices", "1 statistics");
    }

    @Test
    void aHandlerThatEndsAfterItsTimeHasOneEffectAllTheSame() {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch failed = new CountDownLatch(1);
        invoices.trouble = () -> {
            calls.incrementAndGet();
            boolean interrupted = false;
            while (true) {
                try {
                    awaitReleased(failed);
                    break;
                } catch (InterruptedException ignored) {
                    interrupted = true;
                }
            }
            assertThat(interrupted).isTrue();
        };
        application.shop().place("1");
        await().until(() ->
                database.jdbc().queryForObject("select max(attempt_count) from idempotency.outbox_event", Integer.class)
                        >= 1);
        failed.countDown();

        awaitSent("1");
        assertThat(calls).hasValue(1);
        assertThat(application.invoices()).containsExactly("1 invoices", "1 statistics");
    }

    private static void awaitReleased(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aHandlerThatDoesNotEndIsNoFailureOfOtherMessages() {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        invoices.trouble = () -> {
            if (calls.incrementAndGet() == 1) {
                awaitWhateverInterrupts(end);
            }
        };
        invoices.tell(Shop.TOPIC);
        await().until(() -> attempts("9") >= 1);
        invoices.tellMany(30);

        await().until(() -> IntStream.range(100, 130)
                .allMatch(number -> application.messages().contains(number + " sent")));
        assertThat(IntStream.range(100, 130).map(number -> attempts(Integer.toString(number))))
                .containsOnly(1);
        end.countDown();
        await().until(() -> application.invoices().contains("9 invoices"));
    }

    private int attempts(String number) {
        return database.jdbc()
                .queryForObject(
                        "select attempt_count from idempotency.outbox_event where payload->>'number' = ?",
                        Integer.class,
                        number);
    }

    private static void awaitWhateverInterrupts(CountDownLatch latch) {
        while (true) {
            try {
                awaitReleased(latch);
                return;
            } catch (InterruptedException ignored) {
                assertThat(latch.getCount()).isPositive();
            }
        }
    }

    @Test
    @Tag("race")
    void aHandlerThatIsKilledInTheMiddleHasOneEffect() {
        AtomicInteger kills = new AtomicInteger();
        invoices.trouble = () -> {
            if (kills.incrementAndGet() == 1) {
                database.backends().terminate(invoices.backend());
            }
        };
        application.shop().place("1");

        awaitSent("1");
        assertThat(kills.get()).isGreaterThan(1);
        assertThat(application.invoices()).containsExactly("1 invoices", "1 statistics");
    }

    @Test
    @Tag("race")
    void aRelayThatIsKilledWhileAHandlerWorksHasOneEffect() {
        AtomicInteger kills = new AtomicInteger();
        invoices.trouble = () -> {
            if (kills.getAndIncrement() == 0) {
                // The application looks at its tables now and then, and that is none of them.
                List<Integer> relays = database.backends().activity().stream()
                        .filter(backend ->
                                backend.inTransaction() && backend.query().contains("idempotency.lanes"))
                        .map(Backends.Backend::pid)
                        .toList();
                assertThat(relays).hasSize(1);
                relays.forEach(database.backends()::terminate);
            }
        };
        application.shop().place("1");

        awaitSent("1");
        assertThat(kills).hasValue(1);
        assertThat(application.invoices()).containsExactly("1 invoices", "1 statistics");
    }

    @Test
    void aTopicThatNobodyHandlesStaysPendingAndIsNamedInOneWarningAndInHealth() {
        MessagingAdministration administration = application.bean(MessagingAdministration.class);
        try (LogLines log = LogLines.of("io.idempotency.outbox")) {
            UUID id = invoices.tell("forgotten");
            UUID billed = invoices.tell("forgotten");
            database.jdbc().update("insert into idempotency.owner values ('topic', 'billed', 'billing', now())");
            database.jdbc().update("update idempotency.outbox_event set topic = 'billed' where message_id = ?", billed);
            invoices.tell(Shop.TOPIC);
            awaitSent("9");
            database.jdbc().update("update idempotency.outbox_event set due_at = due_at - interval '2 minutes'");
            await().until(() ->
                    log.texts().stream().filter(line -> line.startsWith("WARN")).count() == 2);

            assertThat(log.texts())
                    .filteredOn(line -> line.startsWith("WARN"))
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .startsWith(
                                            "WARN Messages of the topic 'billed' have been due for more than a minute,"
                                                    + " and this instance leaves them to the application that the topic belongs to"),
                            line -> assertThat(line)
                                    .startsWith("WARN Messages of the topic 'forgotten' have been due for more than a"
                                            + " minute, and this instance leaves them to others")
                                    .contains("@OutboxHandler(topic = \"forgotten\")", "OutboxSender", "orders"));
            assertThat(administration.findPendingMessages(10))
                    .extracting(PendingMessage::topic, PendingMessage::attempts)
                    .containsExactly(tuple("forgotten", 0), tuple("billed", 0));

            database.jdbc().update("update idempotency.outbox_event set topic = 'orders' where message_id = ?", id);
        }
        database.jdbc().update("delete from idempotency.outbox_event where topic = 'billed'");
        database.jdbc().update("delete from idempotency.owner where name = 'billed'");
        await().until(() -> administration.findPendingMessages(10).isEmpty());
        assertThat(application.invoices()).hasSize(4);
    }

    @Test
    void aPayloadThatNobodyCanReadEndsDeadAnHourLaterAndCanBeRequeued() {
        MessagingAdministration administration = application.bean(MessagingAdministration.class);
        UUID id = invoices.tell(Shop.TOPIC, "not an object");
        await().until(() -> administration.findPendingMessages(10).get(0).lastError() != null);
        assertThat(administration.findPendingMessages(10).get(0).attempts()).isZero();

        database.jdbc().update("update idempotency.outbox_event set due_at = due_at - interval '1 hour'");
        await().until(() -> administration.findDeadMessages(10).size() == 1);
        DeadMessage dead = administration.findDeadMessages(10).get(0);
        assertThat(dead.messageId()).isEqualTo(id);
        assertThat(dead.attempts()).isEqualTo(5);
        assertThat(dead.lastError()).contains("cannot be read as", "by this version of @OutboxHandler");
        assertThat(dead.intent()).isNull();
        assertThat(application.invoices()).isEmpty();

        database.jdbc().update("update idempotency.outbox_event set payload = '{\"number\": \"9\"}'");
        administration.requeue(id, new IdempotencyAdministration.Reason("on call", "the payload was wrong"));
        awaitSent("9");
        assertThat(application.invoices()).containsExactly("9 invoices", "9 statistics");
        assertThatThrownBy(
                        () -> administration.requeue(id, new IdempotencyAdministration.Reason("on call", "once more")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it is not dead but sent");
        assertThatThrownBy(() -> administration.requeue(
                        UUID.randomUUID(), new IdempotencyAdministration.Reason("on call", "once more")))
                .hasMessageContaining("there is no such message");
    }

    /** As after a relay that was killed, or a failure of another handler, and a deployment. */
    @Test
    void aMessageThatIsHandledIsDoneAlsoIfItCannotBeReadAnyMore() {
        application.shop().place("1");
        awaitSent("1");
        database.jdbc()
                .update(
                        "update idempotency.outbox_event set status = 'pending', sent_at = null, expires_at = null, payload = '[]'");
        await().until(() -> application.messages().stream().allMatch(message -> message.endsWith("sent")));

        assertThat(application.invoices()).containsExactly("1 invoices", "1 statistics");
    }

    @Test
    void aMessageWithoutAPayloadIsNullOrEmpty() {
        invoices.transaction.execute(status -> invoices.outbox.publish(
                OutboxMessage.of("deleted", "OrderDeleted").withoutPayload().build()));

        await().until(() -> application.invoices().size() == 3);
        assertThat(application.invoices())
                .containsExactlyInAnyOrder("null record null", "Optional.empty payload null", "null text null");
    }

    private void awaitSent(String number) {
        await().until(() -> application.messages().contains(number + " sent"));
    }

    static class Invoices {

        private final JdbcTemplate jdbc;

        private final Outbox outbox;

        private final TransactionTemplate transaction;

        private volatile Runnable trouble = () -> {};

        private volatile OutboxRecord last;

        private volatile Intent lastIntent;

        Invoices(JdbcTemplate jdbc, Outbox outbox, PlatformTransactionManager transactionManager) {
            this.jdbc = jdbc;
            this.outbox = outbox;
            this.transaction = new TransactionTemplate(transactionManager);
        }

        @OutboxHandler(topic = "${shop.topic:orders}", consumer = "invoices")
        void invoice(Shop.OrderPlaced order) {
            jdbc.update("insert into invoice values (?, 'invoices')", order.number());
            trouble.run();
        }

        @OutboxHandler(topic = Shop.TOPIC, consumer = "statistics")
        public void count(OutboxRecord message, Map<String, Object> payload) {
            last = message;
            lastIntent = IdempotencyContext.current().intent();
            jdbc.update("insert into invoice values (?, 'statistics')", payload.get("number"));
        }

        @OutboxHandler(topic = "deleted", consumer = "records")
        public void delete(Shop.OrderPlaced order, OutboxRecord message) {
            jdbc.update("insert into invoice values (?, ?)", order + " record", message.payload() + "");
        }

        @OutboxHandler(topic = "deleted", consumer = "optionals")
        public void delete(Optional<Shop.OrderPlaced> order, OutboxRecord message) {
            jdbc.update("insert into invoice values (?, ?)", order + " payload", message.payload() + "");
        }

        @OutboxHandler(topic = "deleted", consumer = "texts")
        public void delete(String text, OutboxRecord message) {
            jdbc.update("insert into invoice values (?, ?)", text + " text", message.payload() + "");
        }

        UUID tell(String topic) {
            return tell(topic, new Shop.OrderPlaced("9"));
        }

        UUID tell(String topic, Object payload) {
            return transaction.execute(status -> outbox.publish(
                    OutboxMessage.of(topic, "OrderPlaced").payload(payload).build()));
        }

        /** In one transaction, so that one batch has them. */
        void tellMany(int count) {
            transaction.executeWithoutResult(status -> IntStream.range(100, 100 + count)
                    .forEach(number -> outbox.publish(OutboxMessage.of(Shop.TOPIC, "OrderPlaced")
                            .payload(new Shop.OrderPlaced(Integer.toString(number)))
                            .build())));
        }

        /** Of the open transaction. */
        int backend() {
            return jdbc.execute((Connection connection) -> Backends.pidOf(connection));
        }
    }
}
