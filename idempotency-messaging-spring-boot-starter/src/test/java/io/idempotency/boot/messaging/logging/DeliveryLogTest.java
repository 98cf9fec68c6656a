package io.idempotency.boot.messaging.logging;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import ch.qos.logback.classic.spi.ILoggingEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.logging.LoggedKeys;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.inbox.MessageGapException;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

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

    @ParameterizedTest
    @EnumSource
    void aMessageThatComesTooEarlyHasALineWithBothVersions(KeyDisplay display) {
        Intent message = new Intent("wallets", "", new IdempotencyKey("m-1"));
        try (LogLines log = LogLines.of(DeliveryLog.NAME)) {
            new DeliveryLog(new LoggedKeys(display))
                    .messageReceived(new MessageReceived(
                            "wallets",
                            "m-1",
                            MessageOutcome.GAP,
                            0,
                            Duration.ofMillis(3),
                            new MessageGapException(message, "customer-7", 2, 4)));

            ILoggingEvent line = log.all().get(0);
            assertThat(line.getFormattedMessage())
                    .endsWith(
                            "for wallets was refused: it is version 4 of its stream, and version 2 has to come first");
            String hash = RequestKey.idOf(new Intent("wallets", "", new IdempotencyKey("customer-7")))
                    .toString();
            Map<String, Object> pairs = LogLines.pairsOf(line);
            assertThat(pairs).containsEntry("version", 4L).containsEntry("expected_version", 2L);
            assertThat(pairs.get("stream")).isEqualTo(display == KeyDisplay.SHOWN ? "customer-7" : null);
            assertThat(pairs.get("stream_hash")).isEqualTo(display == KeyDisplay.HASHED ? hash : null);
        }
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                arguments(new MissingIdempotencyKeyException("it", "message id"), "it has no message id"),
                arguments(
                        new InvalidIdempotencyKeyException("a\nb", "version", null),
                        "its version is blank or malformed"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void aMessageThatIsNotValidHasALineThatSaysWhichValueIsWrong(Exception failure, String problem) {
        try (LogLines log = LogLines.of(DeliveryLog.NAME)) {
            new DeliveryLog(new LoggedKeys(KeyDisplay.SHOWN))
                    .messageReceived(new MessageReceived(
                            "wallets", null, MessageOutcome.INVALID_ID, 0, Duration.ofMillis(3), failure));

            assertThat(log.all().get(0).getFormattedMessage()).isEqualTo("Message for wallets was refused: " + problem);
        }
    }
}
