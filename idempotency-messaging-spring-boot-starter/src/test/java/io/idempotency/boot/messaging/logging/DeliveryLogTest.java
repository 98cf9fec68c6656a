package io.idempotency.boot.messaging.logging;

import java.time.Duration;
import java.util.Set;

import ch.qos.logback.classic.spi.ILoggingEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.logging.LoggedKeys;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;

import static org.assertj.core.api.Assertions.assertThat;

/** What lines tell of message ids. */
class DeliveryLogTest {

    @ParameterizedTest
    @EnumSource
    void messageIdsAreTreatedLikeKeys(KeyDisplay display) {
        try (LogLines log = LogLines.of(DeliveryLog.NAME)) {
            new DeliveryLog(new LoggedKeys(display))
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
}
