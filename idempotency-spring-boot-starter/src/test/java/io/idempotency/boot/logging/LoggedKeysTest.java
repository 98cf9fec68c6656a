package io.idempotency.boot.logging;

import java.time.Duration;
import java.util.Map;

import ch.qos.logback.classic.spi.ILoggingEvent;
import org.junit.jupiter.api.Test;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.observation.CallCompleted;

import static org.assertj.core.api.Assertions.assertThat;

/** What lines tell of keys and callers. */
class LoggedKeysTest {

    private static final Intent INTENT = new Intent("payments", "alice", new IdempotencyKey("order-42"));

    private static final String HASH = RequestKey.idOf(INTENT).toString();

    @Test
    void shownKeysComeWithTheirCallers() {
        ILoggingEvent line = lineOfCall(KeyDisplay.SHOWN, INTENT);

        assertThat(line.getFormattedMessage())
                .isEqualTo("Call order-42 in payments was refused: its key has been used with another payload");
        assertThat(LogLines.pairsOf(line))
                .isEqualTo(Map.of(
                        "scope",
                        "payments",
                        "key",
                        "order-42",
                        "caller",
                        "alice",
                        "outcome",
                        "key_reused",
                        "attempt",
                        0,
                        "duration_ms",
                        3L,
                        "exception",
                        KeyReusedException.class.getName()));
    }

    @Test
    void nobodyIsNoCaller() {
        assertThat(LogLines.pairsOf(
                        lineOfCall(KeyDisplay.SHOWN, new Intent("payments", "", new IdempotencyKey("order-42")))))
                .doesNotContainKey("caller");
    }

    @Test
    void hashedKeysAreThePrimaryKeysOfTheirRows() {
        ILoggingEvent line = lineOfCall(KeyDisplay.HASHED, INTENT);

        assertThat(line.getFormattedMessage()).startsWith("Call hash:" + HASH + " in payments was refused");
        assertThat(LogLines.pairsOf(line)).containsEntry("key_hash", HASH).doesNotContainKeys("key", "caller");
    }

    @Test
    void omittedKeysAreNowhere() {
        ILoggingEvent line = lineOfCall(KeyDisplay.OMITTED, INTENT);

        assertThat(line.getFormattedMessage()).startsWith("Call in payments was refused");
        assertThat(LogLines.pairsOf(line)).containsOnlyKeys("scope", "outcome", "attempt", "duration_ms", "exception");
    }

    private static ILoggingEvent lineOfCall(KeyDisplay display, Intent intent) {
        try (LogLines log = LogLines.of(CallLog.CALLS)) {
            new CallLog(new LoggedKeys(display))
                    .callCompleted(new CallCompleted(
                            "payments",
                            intent,
                            Outcome.KEY_REUSED,
                            0,
                            Duration.ofMillis(3),
                            new KeyReusedException(intent)));
            assertThat(log.all()).hasSize(1);
            return log.all().get(0);
        }
    }
}
