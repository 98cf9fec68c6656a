package io.idempotency.boot.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.TriggerContext;

import io.idempotency.Intent;
import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.internal.lease.LeaseRenewal;
import io.idempotency.internal.lease.LeasedCalls;

/** The loop that renews the leases of running calls: before the application has started, and until the last call has ended. */
final class LeaseRenewer extends BackgroundLoop implements DisposableBean {

    private static final Logger logger = LoggerFactory.getLogger(LeaseRenewer.class);

    private static final Duration LONGEST_PAUSE_AT_THE_END = Duration.ofSeconds(1);

    private final LeaseRenewal renewal;

    private final LeasedCalls calls;

    private final ConfigurableListableBeanFactory beans;

    private volatile boolean isStopped = true;

    LeaseRenewer(LeaseRenewal renewal, LeasedCalls calls, ConfigurableListableBeanFactory beans) {
        super("idempotency-lease-1");
        this.renewal = renewal;
        this.calls = calls;
        this.beans = beans;
    }

    /** Stopped after whatever makes calls. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    @Override
    public synchronized void start() {
        isStopped = false;
        begin();
    }

    /** The shutdown goes on when no call holds a lease, or after the timeout of its phases. */
    @Override
    public void stop(Runnable callback) {
        destroyExecutorsBeforePools();
        stop();
        calls.whenNoneIsHeld(callback);
    }

    /** An executor may wait for its calls only when it is destroyed. Spring destroys it after a pool that was created later. */
    private void destroyExecutorsBeforePools() {
        for (String pool : beans.getBeanNamesForType(DataSource.class, false, false)) {
            for (String executor : beans.getBeanNamesForType(Executor.class, false, false)) {
                beans.registerDependentBean(pool, executor);
            }
        }
    }

    /** The thread ends with the last call: executors and other beans wait for theirs when they are destroyed, after all phases. */
    @Override
    public synchronized void stop() {
        isStopped = true;
        wake();
    }

    @Override
    public void destroy() {
        List<Intent> held = calls.heldIntents();
        if (!held.isEmpty()) {
            logger.warn(
                    "The phases of the shutdown are over, and leased calls still run: {}. Only those are completed that end before"
                            + " the connection pool is closed. Let their executor await termination, or raise"
                            + " spring.lifecycle.timeout-per-shutdown-phase",
                    held);
        }
    }

    void wakeOrBegin() {
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
                + " its key over"
                + (isStopped
                        ? ". The application shuts down while these calls run: " + calls.heldIntents() + ". "
                                + NestedExceptionUtils.getMostSpecificCause(failure)
                                        .getMessage()
                        : "");
    }
}
