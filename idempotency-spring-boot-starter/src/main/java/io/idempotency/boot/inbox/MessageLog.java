package io.idempotency.boot.inbox;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.observation.MessageReceived;

/**
 * One line for each delivery, which answers whether a message came, and how often, long after its row is gone. Failures
 * are logged by whoever called the receiver.
 */
final class MessageLog implements IdempotencyListener {

    /** By feature and not by class, so that its level can be set. */
    static final String NAME = "io.idempotency.inbox";

    private final Logger logger = LoggerFactory.getLogger(NAME);

    @Override
    public void messageReceived(MessageReceived event) {
        Line line = lineOf(event.outcome());
        String message = event.messageId() == null ? "without a valid id" : event.messageId();
        logger.atLevel(line.level())
                .addKeyValue("consumer", event.consumer())
                .addKeyValue("message_id", event.messageId())
                .addKeyValue("outcome", event.outcome().tag())
                .addKeyValue("attempt", event.attempt())
                .addKeyValue("duration_ms", event.duration().toMillis())
                .log("Message {} for {} {}", message, event.consumer(), line.text());
    }

    private static Line lineOf(MessageOutcome outcome) {
        return switch (outcome) {
            case HANDLED -> new Line(Level.DEBUG, "was handled");
            case DUPLICATE -> new Line(Level.INFO, "was skipped: it had been handled before");
            case LATE -> new Line(Level.INFO, "was skipped: something newer had been handled before");
            case CONFLICT -> new Line(Level.WARN, "has the id of another message that was handled before");
            case GAP -> new Line(Level.INFO, "was refused: something older has to come first");
            case IN_PROGRESS -> new Line(Level.INFO, "was refused: another delivery takes too long");
            case INVALID_ID -> new Line(Level.WARN, "was refused: its id, stream or version is not valid");
            case FAILED -> new Line(Level.DEBUG, "failed");
        };
    }

    private record Line(Level level, String text) {}
}
