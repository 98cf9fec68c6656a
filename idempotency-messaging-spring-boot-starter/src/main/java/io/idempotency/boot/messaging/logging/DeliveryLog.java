package io.idempotency.boot.messaging.logging;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.boot.logging.LogLine;
import io.idempotency.boot.logging.LoggedKeys;
import io.idempotency.inbox.MessageGapException;
import io.idempotency.messaging.DeliveryRetried;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;

/**
 * The log of deliveries: one line for each, and one for each retry. The lines do not repeat the exception that the caller gets,
 * because the caller logs it. After the row of a message is deleted, its lines still show that it was received, and how
 * often.
 */
final class DeliveryLog implements MessagingListener {

    /** The logger, named by feature so that its level can be set. */
    static final String NAME = "io.idempotency.inbox";

    private final Logger messages = LoggerFactory.getLogger(NAME);

    private final LoggedKeys keys;

    DeliveryLog(LoggedKeys keys) {
        this.keys = keys;
    }

    @Override
    public void messageReceived(MessageReceived event) {
        Wording wording = wordingOf(event);
        if (!messages.isEnabledForLevel(wording.level())) {
            return;
        }
        LogLine line = LogLine.at(messages, wording.level()).add("consumer", event.consumer());
        String message = addId(line, event.consumer(), event.messageId());
        if (event.outcome() == MessageOutcome.GAP && event.failure() instanceof MessageGapException gap) {
            // The stream may be personal data, as the id is.
            keys.add(line, "stream", new Intent(event.consumer(), "", new IdempotencyKey(gap.stream())));
            line.add("version", gap.version()).add("expected_version", gap.expectedVersion());
        }
        line.add("outcome", event.outcome().tag())
                .add("attempt", event.attempt())
                .add("duration_ms", event.duration().toMillis())
                .add(event.failure())
                .log("Message {}for {} {}", message, event.consumer(), wording.text());
    }

    @Override
    public void deliveryRetried(DeliveryRetried event) {
        if (!messages.isInfoEnabled()) {
            return;
        }
        LogLine line = LogLine.at(messages, Level.INFO).add("consumer", event.consumer());
        String message = addId(line, event.consumer(), event.messageId());
        line.add("execution", event.execution())
                .add("sqlstate", event.sqlState())
                .add(event.failure())
                .log(
                        "Message {}for {} is handled again: {}",
                        message,
                        event.consumer(),
                        LogLine.retried(event.execution(), event.sqlState()));
    }

    private String addId(LogLine line, String consumer, @Nullable String messageId) {
        return keys.add(
                line, "message_id", messageId == null ? null : new Intent(consumer, "", new IdempotencyKey(messageId)));
    }

    private static Wording wordingOf(MessageReceived event) {
        return switch (event.outcome()) {
            case HANDLED -> new Wording(Level.DEBUG, "was handled");
            case DUPLICATE -> new Wording(Level.INFO, "was skipped: it had been handled before");
            case LATE -> new Wording(Level.INFO, "was skipped: something newer had been handled before");
            case CONFLICT -> new Wording(Level.WARN, "has the id of another message that was handled before");
            case GAP -> new Wording(Level.INFO, "was refused: " + tooEarly(event.failure()));
            case IN_PROGRESS -> new Wording(Level.INFO, "was refused: another delivery takes too long");
            case INVALID_ID -> new Wording(Level.WARN, "was refused: " + invalid(event.failure()));
            case FAILED -> new Wording(Level.DEBUG, "failed");
        };
    }

    private static String tooEarly(@Nullable Throwable failure) {
        return failure instanceof MessageGapException gap
                ? "it is version " + gap.version() + " of its stream, and version " + gap.expectedVersion()
                        + " has to come first"
                : "something older has to come first";
    }

    private static String invalid(@Nullable Throwable failure) {
        if (failure instanceof MissingIdempotencyKeyException missing) {
            return "it has no " + missing.valueName();
        }
        return failure instanceof InvalidIdempotencyKeyException malformed
                ? "its " + malformed.valueName() + " is blank or malformed"
                : "its id, stream or version is not valid";
    }

    private record Wording(Level level, String text) {}
}
