package io.idempotency.boot.logging;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import io.idempotency.observation.DeliveryRetried;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.observation.MessageReceived;

/**
 * One line for each delivery, which answers whether a message came, and how often, long after its row is gone, and one
 * for each repeat inside of one. Failures are logged by whoever called the receiver.
 */
final class MessageLog implements IdempotencyListener {

    /** By feature and not by class, so that its level can be set. */
    static final String NAME = "io.idempotency.inbox";

    private final Logger logger = LoggerFactory.getLogger(NAME);

    private final LoggedKeys keys;

    MessageLog(LoggedKeys keys) {
        this.keys = keys;
    }

    @Override
    public void messageReceived(MessageReceived event) {
        Wording wording = wordingOf(event.outcome());
        if (!logger.isEnabledForLevel(wording.level())) {
            return;
        }
        Line line = Line.at(logger, wording.level()).add("consumer", event.consumer());
        String message = keys.addMessage(line, event.consumer(), event.messageId());
        line.add("outcome", event.outcome().tag())
                .add("attempt", event.attempt())
                .add("duration_ms", event.duration().toMillis())
                .add(event.failure())
                .log("Message {}for {} {}", message, event.consumer(), wording.text());
    }

    @Override
    public void deliveryRetried(DeliveryRetried event) {
        if (!logger.isInfoEnabled()) {
            return;
        }
        Line line = Line.at(logger, Level.INFO).add("consumer", event.consumer());
        String message = keys.addMessage(line, event.consumer(), event.messageId());
        line.add("execution", event.execution())
                .add("sqlstate", event.sqlState())
                .add(event.failure())
                .log("Message {}for {} is handled again: {}", message, event.consumer(), describe(event));
    }

    private static String describe(DeliveryRetried event) {
        return event.sqlState() == null
                ? "execution " + event.execution() + " lost its connection"
                : "execution " + event.execution() + " failed with SQLSTATE " + event.sqlState();
    }

    private static Wording wordingOf(MessageOutcome outcome) {
        return switch (outcome) {
            case HANDLED -> new Wording(Level.DEBUG, "was handled");
            case DUPLICATE -> new Wording(Level.INFO, "was skipped: it had been handled before");
            case LATE -> new Wording(Level.INFO, "was skipped: something newer had been handled before");
            case CONFLICT -> new Wording(Level.WARN, "has the id of another message that was handled before");
            case GAP -> new Wording(Level.INFO, "was refused: something older has to come first");
            case IN_PROGRESS -> new Wording(Level.INFO, "was refused: another delivery takes too long");
            case INVALID_ID -> new Wording(Level.WARN, "was refused: its id, stream or version is not valid");
            case FAILED -> new Wording(Level.DEBUG, "failed");
        };
    }

    private record Wording(Level level, String text) {}
}
