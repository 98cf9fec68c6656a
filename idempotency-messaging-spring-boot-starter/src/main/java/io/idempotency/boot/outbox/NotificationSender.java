package io.idempotency.boot.outbox;

import java.time.Duration;
import java.time.Instant;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.boot.background.WakeSignal;
import io.idempotency.internal.outbox.OutboxChannel;

/**
 * The loop that wakes the relays of other instances after local commits, which wake it: not the thread of a commit waits for it. Many
 * commits share a notification.
 */
final class NotificationSender extends BackgroundLoop {

    private static final Logger logger = LoggerFactory.getLogger(NotificationSender.class);

    /** Commits within this time share a notification. */
    private static final Duration COALESCED = Duration.ofMillis(50);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(2);

    private static final Duration UNTIL_WOKEN = Duration.ofDays(365);

    private final OutboxChannel channel;

    NotificationSender(OutboxChannel channel) {
        super("idempotency-outbox-notify", STOP_TIMEOUT, new WakeSignal());
        this.channel = channel;
    }

    @Override
    protected void round() throws InterruptedException {
        try {
            channel.announce();
        } catch (RuntimeException failure) {
            logger.debug("Other instances were not notified of messages to send; their polls find them", failure);
        }
        pause(COALESCED);
    }

    @Override
    protected Instant nextRound(TriggerContext context, int failures) {
        return context.getClock().instant().plus(UNTIL_WOKEN);
    }

    @Override
    protected String describe(Throwable failure) {
        return "Other instances could not be notified of messages to send; their polls find them";
    }
}
