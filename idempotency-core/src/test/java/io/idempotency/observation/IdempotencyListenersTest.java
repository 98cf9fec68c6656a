package io.idempotency.observation;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.Outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

class IdempotencyListenersTest {

    private static final CallCompleted CALL =
            new CallCompleted("payments", null, Outcome.INVALID_KEY, 0, Duration.ofMillis(3), null);

    private static final MessageReceived MESSAGE =
            new MessageReceived("invoices", "m-1", MessageOutcome.HANDLED, 1, Duration.ofMillis(3), null);

    private static final RowsPurged PURGE = new RowsPurged("idempotency_request", 7);

    private static final MessageSent SENT = new MessageSent(new UUID(0, 1), "orders", "OrderPlaced", 1, Duration.ZERO);

    private static final MessageSendFailed NOT_SENT = new MessageSendFailed(
            new UUID(0, 1), "orders", "OrderPlaced", 1, true, new IllegalStateException("cannot be sent"));

    private static final OutboxSampled SAMPLE = new OutboxSampled(1, 2, Duration.ZERO);

    private static final CallRetried CALL_REPEATED = new CallRetried(
            new Intent("payments", "", new IdempotencyKey("key")), 1, "40001", new IllegalStateException("again"));

    private static final DeliveryRetried DELIVERY_REPEATED =
            new DeliveryRetried("invoices", "m-1", 1, "40001", new IllegalStateException("again"));

    private static final StorageSampled STORAGE = new StorageSampled(List.of(), 3);

    private final Logger logger = (Logger) LoggerFactory.getLogger(IdempotencyListeners.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listenToTheLog() {
        logger.setAdditive(false);
        logger.addAppender(log);
        log.start();
    }

    @AfterEach
    void leaveTheLog() {
        logger.detachAppender(log);
        logger.setAdditive(true);
    }

    @Test
    void everyListenerReceivesEveryEventInOrder() {
        List<String> received = new ArrayList<>();
        IdempotencyListeners listeners =
                new IdempotencyListeners(List.of(new Recorder("first", received), new Recorder("second", received)));

        listeners.callCompleted(CALL);
        listeners.messageReceived(MESSAGE);
        listeners.rowsPurged(PURGE);
        listeners.messageSent(SENT);
        listeners.messageSendFailed(NOT_SENT);
        listeners.outboxSampled(SAMPLE);
        listeners.callRetried(CALL_REPEATED);
        listeners.deliveryRetried(DELIVERY_REPEATED);
        listeners.storageSampled(STORAGE);

        assertThat(received)
                .containsExactly(
                        "first " + CALL,
                        "second " + CALL,
                        "first " + MESSAGE,
                        "second " + MESSAGE,
                        "first " + PURGE,
                        "second " + PURGE,
                        "first " + SENT,
                        "second " + SENT,
                        "first " + NOT_SENT,
                        "second " + NOT_SENT,
                        "first " + SAMPLE,
                        "second " + SAMPLE,
                        "first " + CALL_REPEATED,
                        "second " + CALL_REPEATED,
                        "first " + DELIVERY_REPEATED,
                        "second " + DELIVERY_REPEATED,
                        "first " + STORAGE,
                        "second " + STORAGE);
    }

    @Test
    void aListenerNeedNotListenToEverything() {
        IdempotencyListeners listeners = new IdempotencyListeners(List.of(new IdempotencyListener() {}));

        assertThatCode(() -> {
                    listeners.callCompleted(CALL);
                    listeners.messageReceived(MESSAGE);
                    listeners.rowsPurged(PURGE);
                    listeners.messageSent(SENT);
                    listeners.messageSendFailed(NOT_SENT);
                    listeners.outboxSampled(SAMPLE);
                    listeners.callRetried(CALL_REPEATED);
                    listeners.deliveryRetried(DELIVERY_REPEATED);
                    listeners.storageSampled(STORAGE);
                })
                .doesNotThrowAnyException();
        assertThat(log.list).isEmpty();
    }

    static List<Throwable> failures() {
        return List.of(
                new IllegalStateException("no registry"),
                new NoClassDefFoundError("io/micrometer/core/instrument/Timer"),
                new StackOverflowError(),
                new IOException("a checked exception of another language"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailingListenerHarmsNeitherTheOthersNorTheCall(Throwable failure) {
        List<String> received = new ArrayList<>();
        IdempotencyListeners listeners =
                new IdempotencyListeners(List.of(new Failing(failure), new Recorder("next", received)));

        listeners.callCompleted(CALL);
        listeners.rowsPurged(PURGE);

        assertThat(received).containsExactly("next " + CALL, "next " + PURGE);
        assertThat(log.list).hasSize(2).allSatisfy(entry -> {
            assertThat(entry.getLevel()).isEqualTo(Level.WARN);
            assertThat(entry.getFormattedMessage()).contains(Failing.class.getName());
            assertThat(entry.getThrowableProxy().getClassName())
                    .isEqualTo(failure.getClass().getName());
        });
    }

    private record Recorder(String name, List<String> received) implements IdempotencyListener {

        @Override
        public void callCompleted(CallCompleted event) {
            received.add(name + " " + event);
        }

        @Override
        public void messageReceived(MessageReceived event) {
            received.add(name + " " + event);
        }

        @Override
        public void rowsPurged(RowsPurged event) {
            received.add(name + " " + event);
        }

        @Override
        public void messageSent(MessageSent event) {
            received.add(name + " " + event);
        }

        @Override
        public void messageSendFailed(MessageSendFailed event) {
            received.add(name + " " + event);
        }

        @Override
        public void outboxSampled(OutboxSampled event) {
            received.add(name + " " + event);
        }

        @Override
        public void storageSampled(StorageSampled event) {
            received.add(name + " " + event);
        }

        @Override
        public void deliveryRetried(DeliveryRetried event) {
            received.add(name + " " + event);
        }

        @Override
        public void callRetried(CallRetried event) {
            received.add(name + " " + event);
        }
    }

    private record Failing(Throwable failure) implements IdempotencyListener {

        @Override
        public void callCompleted(CallCompleted event) {
            throw Failing.<RuntimeException>undeclared(failure);
        }

        @Override
        public void rowsPurged(RowsPurged event) {
            throw Failing.<RuntimeException>undeclared(failure);
        }

        @SuppressWarnings("unchecked") // Erased: nothing is cast.
        private static <X extends Throwable> RuntimeException undeclared(Throwable failure) throws X {
            throw (X) failure;
        }
    }
}
