package io.idempotency.boot.messaging.logging;

import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.KeyReusedException;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.outbox.SenderUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The lines of messages on their way out. */
class OutboxLogTest {

    private static final UUID ID = new UUID(0, 1);

    private static final Exception FAILURE = new IllegalStateException("no such topic");

    private final OutboxLog outboxLog = new OutboxLog();

    @AutoClose
    private final LogLines log = LogLines.of("io.idempotency.outbox");

    @Test
    void aMessageIsOneLineForEachAttempt() {
        outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 1, false, FAILURE));
        outboxLog.messageSent(new MessageSent(ID, "orders", "OrderPlaced", 2, Duration.ofMillis(1_500)));

        assertThat(log.texts())
                .containsExactly(
                        "INFO Message " + ID
                                + " (OrderPlaced) for topic orders was not sent in attempt 1, and is tried again:"
                                + " java.lang.IllegalStateException: no such topic",
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
        assertThat(LogLines.pairsOf(log.all().get(1))).containsEntry("latency_ms", 1_500L);
    }

    @Test
    void aDeadMessageIsAnErrorWithItsCause() {
        outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 15, true, FAILURE));

        assertThat(log.texts())
                .containsExactly("ERROR Message " + ID
                        + " (OrderPlaced) for topic orders was given up after attempt 15: resolve the failure, then requeue it. The failure:"
                        + " java.lang.IllegalStateException: no such topic");
        assertThat(log.all().get(0).getThrowableProxy().getMessage()).isEqualTo("no such topic");
    }

    @Test
    void theStackTraceOfAnAttemptIsForDebugging() {
        log.setLevel(Level.INFO);
        outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 1, false, FAILURE));
        assertThat(log.all().get(0).getThrowableProxy()).isNull();

        log.setLevel(Level.DEBUG);
        outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 2, false, FAILURE));
        assertThat(log.all().get(1).getThrowableProxy()).isNotNull();
    }

    @Test
    void whatAnExceptionSaysIsOneLineOfBoundedLength() {
        String text = "first\r\nERROR forged\t" + "x".repeat(10_000);
        outboxLog.messageSendFailed(
                new MessageSendFailed(ID, "orders", "OrderPlaced", 1, false, new IllegalStateException(text)));

        assertThat(log.texts().get(0))
                .contains("java.lang.IllegalStateException: first ERROR forged xxx")
                .endsWith("x...")
                .hasSizeLessThan(500);
    }

    @Test
    void valuesOfRowsPayloadsAndKeysStayOutOfTheLog() {
        log.setLevel(Level.INFO);
        Exception ofDatabase = new DuplicateKeyException(
                "insert failed; Key (card)=(4711) already exists",
                new SQLException("Key (card)=(4711) already exists", "23505"));
        assertThat(lineOf(ofDatabase))
                .endsWith("and is tried again: " + DuplicateKeyException.class.getName() + " (SQLSTATE 23505)");

        Exception ofJson =
                assertThrows(JacksonException.class, () -> JsonMapper.shared().readValue("\"4711\"", LocalDate.class));
        assertThat(ofJson).hasMessageContaining("4711");
        assertThat(lineOf(ofJson))
                .endsWith("and is tried again: " + ofJson.getClass().getName());
        assertThat(lineOf(new IllegalStateException(ofJson)))
                .endsWith(
                        "java.lang.IllegalStateException (" + ofJson.getClass().getName() + ")");

        Exception ofKey = new KeyReusedException(new Intent("cards", "", new IdempotencyKey("4711")));
        assertThat(lineOf(ofKey)).endsWith("and is tried again: " + KeyReusedException.class.getName());

        outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 15, true, ofDatabase));
        ILoggingEvent dead = log.all().get(log.all().size() - 1);
        assertThat(dead.getFormattedMessage()).contains("given up").doesNotContain("4711");
        assertThat(dead.getThrowableProxy()).isNull();
    }

    @Test
    void anExceptionThatCannotTellWhatItSaysIsNamed() {
        log.setLevel(Level.INFO);
        outboxLog.messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 1, false, new Untold()));

        assertThat(log.texts().get(0)).endsWith("and is tried again: " + Untold.class.getName());
    }

    private static final class Untold extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException();
        }
    }

    /** Of a new log, because one line a second is not for debugging. */
    private String lineOf(Exception failure) {
        new OutboxLog().messageSendFailed(new MessageSendFailed(ID, "orders", "OrderPlaced", 1, false, failure));
        List<String> texts = log.texts();
        assertThat(texts.get(texts.size() - 1)).doesNotContain("4711");
        return texts.get(texts.size() - 1);
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
