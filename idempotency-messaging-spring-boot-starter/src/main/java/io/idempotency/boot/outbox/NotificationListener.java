package io.idempotency.boot.outbox;

import java.time.Duration;
import java.time.Instant;

import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.boot.background.WakeSignal;
import io.idempotency.internal.outbox.OutboxChannel;

/**
 * The loop that wakes the local relay after commits of other instances. Stopping waits until the listening connection is returned to
 * its pool, which may be closed next.
 */
final class NotificationListener extends BackgroundLoop {

    private static final Duration STOP_INTERVAL = Duration.ofMillis(500);

    private static final Duration RECONNECT = Duration.ofMillis(500);

    private final OutboxChannel channel;

    private final WakeSignal relay;

    private final Duration pollInterval;

    /**
     * Creates the loop.
     *
     * @param pollInterval the poll interval of the relay, for the log
     */
    NotificationListener(OutboxChannel channel, WakeSignal relay, Duration pollInterval) {
        super("idempotency-outbox-listen", STOP_INTERVAL.multipliedBy(4), new WakeSignal());
        this.channel = channel;
        this.relay = relay;
        this.pollInterval = pollInterval;
    }

    @Override
    protected void round() {
        channel.listen(
                () -> {
                    succeeded();
                    relay.wake();
                },
                this::isEnding,
                STOP_INTERVAL);
    }

    @Override
    protected Instant nextRound(TriggerContext context, int failures) {
        Instant now = context.getClock().instant();
        return failures > 0 ? now.plus(RECONNECT) : now;
    }

    @Override
    protected String describe(Throwable failure) {
        return "The connection that listens for messages to send was lost; until there is another one, they are found by the"
                + " poll every " + pollInterval;
    }
}
