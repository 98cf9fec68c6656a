package io.idempotency.boot.logging;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.idempotency.boot.testing.LogLines;
import io.idempotency.observation.MessageSendFailed;
import io.idempotency.observation.MessageSent;
import io.idempotency.outbox.SenderUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The lines of messages on their way out. */
class OutboxLogTest {

    private static final UUID ID = new UUID(0, 1);

    private static final Exception FAILURE = new IllegalStateException("no such topic");

    private final OutboxLog outboxLog = new OutboxLog();

    private LogLines log;

    @BeforeEach
    void listen() {
        log = LogLines.of("io.idempotency.outbox");
    }

    @AfterEach
    void stopListening() {
        log.close();
    }

    @Test
    void aMessageIsOneLineForEachAttempt() {
        outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 1, false, FAILURE));
        outboxLog.messageSent(new MessageSent(ID, "orders", "OrderPlaced", 2, Duration.ofMillis(1_500)));

        assertThat(log.texts())
                .containsExactly(
                        "INFO Message " + ID
                                + " (OrderPlaced) for topic orders was not sent in attempt 1, and is tried again",
                        "DEBUG Message " + ID + " (OrderPlaced) for topic orders was sent");
        assertThat(LogLines.pairsOf(log.all().get(0)))
                .isEqualTo(Map.of(
                        "message_id",
                        ID,
                        "topic",
                        "orders",
                        "type",
                        "OrderPlaced",
                        "attempt",
                        1,
                        "exception",
                        IllegalStateException.class.getName()));
        assertThat(log.all().get(0).getThrowableProxy()).isNull();
        assertThat(LogLines.pairsOf(log.all().get(1))).containsEntry("latency_ms", 1_500L);
    }

    @Test
    void aDeadMessageIsAnErrorWithItsCause() {
        outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 15, true, FAILURE));

        assertThat(log.texts())
                .containsExactly("ERROR Message " + ID
                        + " (OrderPlaced) for topic orders was given up after attempt 15: look at it, and requeue it");
        assertThat(log.all().get(0).getThrowableProxy().getMessage()).isEqualTo("no such topic");
    }

    @Test
    void manyFailuresAtOnceAreOneLineASecond() {
        for (int i = 0; i < 1_000; i++) {
            outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 1, false, FAILURE));
        }
        assertThat(lines("INFO")).isBetween(1L, 5L);

        long before = lines("INFO");
        await().untilAsserted(() -> {
            outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 1, false, FAILURE));
            assertThat(lines("INFO")).isGreaterThan(before);
        });
    }

    @Test
    void messagesThatWaitForABrokerAreNoNews() {
        outboxLog.messageSendFailed(new MessageSendFailed(
                ID, "orders", "OrderPlaced", 1, false, new SenderUnavailableException("away", FAILURE)));

        assertThat(lines("DEBUG")).isOne();
        assertThat(lines("INFO")).isZero();
    }

    private long lines(String level) {
        return log.texts().stream().filter(line -> line.startsWith(level)).count();
    }
}
