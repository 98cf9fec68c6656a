package io.idempotency.boot.lease;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.internal.lease.LeaseRenewal;

/** The loop that renews the leases of running calls. */
final class LeaseRenewer extends BackgroundLoop {

    private static final Duration LONGEST_PAUSE_AT_THE_END = Duration.ofSeconds(1);

    private final LeaseRenewal renewal;

    private volatile boolean isStopped;

    LeaseRenewer(LeaseRenewal renewal) {
        super("idempotency-lease-1");
        this.renewal = renewal;
    }

    /** Started before whatever makes calls. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    @Override
    public synchronized void start() {
        isStopped = false;
        renewal.wakeBy(this::wakeOrBegin);
        begin();
    }

    /** The thread ends with the last call: executors and other beans wait for theirs when they are destroyed, after all phases. */
    @Override
    public synchronized void stop() {
        isStopped = true;
        wake();
    }

    private void wakeOrBegin() {
        if (isStopped) {
            begin();
        } else {
            wake();
        }
    }

    private synchronized void begin() {
        super.stop();
        super.start();
    }

    @Override
    public boolean isRunning() {
        return !isStopped && super.isRunning();
    }

    @Override
    protected void round() {
        renewal.renewDue();
    }

    @Override
    protected @Nullable Instant nextRound(TriggerContext context, int failures) {
        if (isStopped && renewal.isIdle()) {
            return null;
        }
        Duration pause = failures > 0 ? renewal.pauseAfterFailure() : renewal.untilNext();
        boolean isLonger = pause.compareTo(LONGEST_PAUSE_AT_THE_END) > 0;
        return context.getClock().instant().plus(isStopped && isLonger ? LONGEST_PAUSE_AT_THE_END : pause);
    }

    @Override
    protected String describe(Throwable failure) {
        return "The leases of running calls could not be renewed; this is tried again. When one expires, another call may take"
                + " its key over";
    }
}
