package io.idempotency.boot.lease;

import java.time.Duration;
import java.time.Instant;

import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.internal.lease.LeaseRenewal;

/** The loop that renews the leases of running calls. */
final class LeaseRenewer extends BackgroundLoop {

    private final LeaseRenewal renewal;

    LeaseRenewer(LeaseRenewal renewal) {
        super("idempotency-lease-1");
        this.renewal = renewal;
    }

    /** Stopped after whatever makes calls, which may take some time to end. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    @Override
    public synchronized void start() {
        renewal.wakeBy(this::wake);
        super.start();
    }

    @Override
    protected void round() {
        renewal.renewDue();
    }

    @Override
    protected Instant nextRound(TriggerContext context, int failures) {
        Duration pause = failures > 0 ? renewal.pauseAfterFailure() : renewal.untilNext();
        return context.getClock().instant().plus(pause);
    }

    @Override
    protected String describe(Throwable failure) {
        return "The leases of running calls could not be renewed; this is tried again. When one expires, another call may take"
                + " its key over";
    }
}
