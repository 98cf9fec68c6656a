package io.idempotency.boot.messaging.logging;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.outbox.SenderUnavailableException;

/**
 * The log of the outbox: one line for each message that was sent, each attempt that failed, and each message that was
 * given up. The relay logs an outage, during which no message can be sent.
 */
final class OutboxLog implements MessagingListener {

    /** The logger, named by feature so that its level can be set. */
    static final String NAME = "io.idempotency.outbox";

    /** Many messages may fail together, all for the same reason. */
    private static final long BETWEEN_FAILURES = Duration.ofSeconds(1).toNanos();

    private final Logger logger = LoggerFactory.getLogger(NAME);

    private final AtomicLong nextFailure = new AtomicLong(System.nanoTime());

    @Override
    public void messageSent(MessageSent event) {
        logger.atDebug()
                .addKeyValue("message_id", event.messageId())
                .addKeyValue("topic", event.topic())
                .addKeyValue("type", event.type())
                .addKeyValue("attempt", event.attempt())
                .addKeyValue("latency_ms", event.latency().toMillis())
                .log("Message {} ({}) for topic {} was sent", event.messageId(), event.type(), event.topic());
    }

    @Override
    public void messageSendFailed(MessageSendFailed event) {
        if (event.dead()) {
            log(
                    Level.ERROR,
                    event,
                    "was given up after attempt {}: resolve the failure, then requeue it. The failure: {}");
        } else {
            log(levelOfFailure(event), event, "was not sent in attempt {}, and is tried again: {}");
        }
    }

    private Level levelOfFailure(MessageSendFailed event) {
        if (event.failure() instanceof SenderUnavailableException) {
            return Level.DEBUG;
        }
        long now = System.nanoTime();
        long next = nextFailure.get();
        return now - next >= 0 && nextFailure.compareAndSet(next, now + BETWEEN_FAILURES) ? Level.INFO : Level.DEBUG;
    }

    private void log(Level level, MessageSendFailed event, String text) {
        FailureReason reason = FailureReason.of(event.failure());
        boolean withTrace = logger.isDebugEnabled() || (event.dead() && !reason.quotesValues());
        logger.atLevel(level)
                .setCause(withTrace ? event.failure() : null)
                .addKeyValue("message_id", event.messageId())
                .addKeyValue("topic", event.topic())
                .addKeyValue("type", event.type())
                .addKeyValue("attempt", event.attempt())
                .addKeyValue("exception", event.failure().getClass().getName())
                .log(
                        "Message {} ({}) for topic {} " + text,
                        event.messageId(),
                        event.type(),
                        event.topic(),
                        event.attempt(),
                        reason.text());
    }
}
