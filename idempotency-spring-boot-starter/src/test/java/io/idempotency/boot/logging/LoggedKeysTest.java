package io.idempotency.boot.logging;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import ch.qos.logback.classic.spi.ILoggingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.observation.MessageReceived;

import static org.assertj.core.api.Assertions.assertThat;

/** What lines tell of keys, callers and message ids. */
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

    @ParameterizedTest
    @EnumSource
    void messageIdsAreTreatedLikeKeys(KeyDisplay display) {
        try (LogLines log = LogLines.of(CallLog.MESSAGES)) {
            new CallLog(new LoggedKeys(display))
                    .messageReceived(new MessageReceived(
                            "wallets", "m-1", MessageOutcome.DUPLICATE, 0, Duration.ofMillis(3), null));

            ILoggingEvent line = log.all().get(0);
            String hash = RequestKey.idOf(new Intent("wallets", "", new IdempotencyKey("m-1")))
                    .toString();
            Set<String> common = Set.of("consumer", "outcome", "attempt", "duration_ms");
            switch (display) {
                case SHOWN -> {
                    assertThat(line.getFormattedMessage()).startsWith("Message m-1 for wallets was skipped");
                    assertThat(LogLines.pairsOf(line))
                            .containsEntry("message_id", "m-1")
                            .hasSize(common.size() + 1);
                }
                case HASHED -> {
                    assertThat(line.getFormattedMessage())
                            .startsWith("Message hash:" + hash + " for wallets was skipped");
                    assertThat(LogLines.pairsOf(line))
                            .containsEntry("message_id_hash", hash)
                            .hasSize(common.size() + 1);
                }
                case OMITTED -> {
                    assertThat(line.getFormattedMessage()).startsWith("Message for wallets was skipped");
                    assertThat(LogLines.pairsOf(line)).containsOnlyKeys(common);
                }
            }
        }
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
