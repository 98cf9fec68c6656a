package io.idempotency.boot.outbox;

import java.time.Duration;
import java.time.Instant;

import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.boot.background.WakeSignal;
import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.outbox.OutboxRelay;

/** The loop of the relay. Local commits wake it; a poll finds all other messages. Stopping waits for the batch in flight. */
final class RelayRunner extends BackgroundLoop {

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** Even if the poll interval is longer, so that due messages are soon tried again. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final OutboxRelay relay;

    private final Duration pollInterval;

    private final Duration sampleInterval;

    private final Runnable startUpCheck;

    private final Backoff backoff;

    private boolean isMoreDue;

    private long nextSample;

    /**
     * Creates the runner.
     *
     * @param stopTimeout the longest time that stopping waits for a batch
     * @param startUpCheck throws an exception if the application must not start
     */
    RelayRunner(
            OutboxRelay relay,
            WakeSignal signal,
            Duration pollInterval,
            Duration sampleInterval,
            Duration stopTimeout,
            Runnable startUpCheck) {
        super("idempotency-outbox-relay", stopTimeout, signal);
        this.relay = relay;
        this.pollInterval = pollInterval;
        this.sampleInterval = sampleInterval;
        this.startUpCheck = startUpCheck;
        this.backoff =
                new Backoff(pollInterval.compareTo(FIRST_PAUSE) < 0 ? pollInterval : FIRST_PAUSE, 2, LONGEST_PAUSE);
    }

    @Override
    public synchronized void start() {
        if (!isRunning()) {
            startUpCheck.run();
            relay.restart();
            super.start();
        }
    }

    @Override
    public synchronized void stop() {
        relay.stop();
        super.stop();
    }

    @Override
    protected void prepare() {
        isMoreDue = true;
        nextSample = System.nanoTime();
    }

    @Override
    protected void round() throws InterruptedException {
        if (System.nanoTime() - nextSample >= 0) {
            nextSample = System.nanoTime() + sampleInterval.toNanos();
            relay.sample();
        }
        OutboxRelay.Round round = relay.sendBatch();
        isMoreDue = round.more() || !round.pause().isZero();
        pause(round.pause());
    }

    @Override
    protected Instant nextRound(TriggerContext context, int failures) {
        Instant now = context.getClock().instant();
        if (failures > 0) {
            return now.plus(backoff.after(failures));
        }
        return isMoreDue ? now : now.plus(pollInterval);
    }

    @Override
    protected String describe(Throwable failure) {
        return "Messages of the outbox could not be sent; it is tried again at least every " + LONGEST_PAUSE.toSeconds()
                + " s";
    }
}
