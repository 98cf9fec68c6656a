package io.idempotency.boot.contract;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.boot.testing.LogLines;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Each outcome of a delivery moves its meter by one, and no other, and is one line of the log. */
@ContractTest
class ObservedDeliveryTest {

    private static final String ID = "event-4711";

    private final TestDatabase database;

    private final ContractApplication application;

    private final MeterRegistry registry;

    private final Receiver receiver;

    private Gate gate = new Gate();

    private @Nullable ConcurrentCalls<Void> holder;

    ObservedDeliveryTest(ContractApplications applications) {
        database = applications.database();
        application =
                applications.start(List.of(Receiver.class, MeteredApplication.class), "idempotency.wait-timeout=200ms");
        registry = application.bean(MeterRegistry.class);
        receiver = application.bean(Receiver.class);
    }

    @AfterEach
    void clear() {
        if (holder != null) {
            gate.open();
            holder.await().requireAllSucceeded();
            gate = new Gate();
            holder = null;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anOutcomeMovesItsMeterByOneAndIsOneLine(MessageOutcome outcome) {
        try (LogLines log = LogLines.of("io.idempotency.inbox")) {
            Runnable delivery = arrange(outcome);
            int linesBefore = log.all().size();
            Measurements before = Measurements.of(registry);

            Throwable thrown = catchThrowable(delivery::run);

            Map<String, Double> expected = new TreeMap<>();
            expected.put("idempotency.inbox.messages consumer=observed outcome=" + outcome.tag(), 1.0);
            if (outcome == MessageOutcome.FAILED) {
                expected.put(
                        "idempotency.inbox.attempt.failures attempt=first consumer=observed"
                                + " exception=IllegalStateException",
                        1.0);
            }
            assertThat(Measurements.of(registry).since(before)).isEqualTo(expected);

            List<ILoggingEvent> lines = log.all();
            assertThat(lines).hasSize(linesBefore + 1);
            assertLine(lines.get(linesBefore), outcome, thrown);
        }
    }

    /** What has to happen before, and the delivery that meets it. */
    private Runnable arrange(MessageOutcome outcome) {
        return switch (outcome) {
            case HANDLED -> () -> receiver.receive(ID, 1, "body");
            case DUPLICATE -> {
                receiver.receive(ID, 1, "body");
                yield () -> receiver.receive(ID, 1, "body");
            }
            case LATE -> {
                receiver.receive("newer", 1, "body");
                yield () -> receiver.receive(ID, 1, "body");
            }
            case CONFLICT -> {
                receiver.receive(ID, 1, "body");
                yield () -> receiver.receive(ID, 1, "another body");
            }
            case GAP -> () -> receiver.receive(ID, 2, "body");
            case IN_PROGRESS -> {
                holdInAnotherThread();
                yield () -> receiver.receive(ID, 1, "body");
            }
            case INVALID_ID -> () -> receiver.receive(" ", 1, "body");
            case FAILED -> {
                application.interruption().afterEffectDo(() -> {
                    throw new IllegalStateException("no paper");
                });
                yield () -> receiver.receive(ID, 1, "body");
            }
        };
    }

    private void holdInAnotherThread() {
        application.interruption().afterEffectDo(gate::holdTheFirst);
        holder = ConcurrentCalls.start(1, () -> receiver.receive(ID, 1, "body"));
        gate.awaitHeld();
    }

    private void assertLine(ILoggingEvent line, MessageOutcome outcome, Throwable thrown) {
        Map<String, Object> pairs = LogLines.pairsOf(line);
        assertThat(line.getLevel()).isEqualTo(levelOf(outcome));
        assertThat(pairs)
                .containsEntry("consumer", "observed")
                .containsEntry("outcome", outcome.tag())
                .containsKeys("attempt", "duration_ms");
        assertThat(pairs.get("exception"))
                .isEqualTo(thrown == null ? null : thrown.getClass().getName());
        if (outcome == MessageOutcome.INVALID_ID) {
            assertThat(line.getFormattedMessage()).startsWith("Message for observed ");
        } else {
            String hash = database.jdbc()
                    .queryForObject(
                            "select idempotency.idempotency_request_id('observed', ?, '')::text", String.class, ID);
            assertThat(pairs).containsEntry("message_id_hash", hash);
            assertThat(line.getFormattedMessage()).startsWith("Message hash:" + hash + " for observed ");
        }
        assertThat(line.getFormattedMessage() + pairs).doesNotContain(ID);
    }

    private static Level levelOf(MessageOutcome outcome) {
        return switch (outcome) {
            case HANDLED, FAILED -> Level.DEBUG;
            case DUPLICATE, LATE, GAP, IN_PROGRESS -> Level.INFO;
            case CONFLICT, INVALID_ID -> Level.WARN;
        };
    }

    static class Receiver {

        private final Interruption interruption;

        Receiver(Interruption interruption) {
            this.interruption = interruption;
        }

        @Transactional
        @IdempotentReceiver(
                consumer = "observed",
                messageId = "#id",
                payload = "#body",
                stream = "'all'",
                version = "#version",
                order = DeliveryOrder.STRICT)
        public void receive(String id, int version, String body) {
            interruption.afterEffect();
        }
    }
}
