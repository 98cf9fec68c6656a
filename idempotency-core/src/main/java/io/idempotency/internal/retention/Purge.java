package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.internal.retention.PurgeReport.End;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;

/**
 * Deletes expired rows in small batches with pauses between them, until none is left or its time is up. One instance purges
 * at a time. Every batch is a transaction of its own, so that a run may end after any batch. Safe for use by many threads.
 */
public final class Purge {

    private static final Logger logger = LoggerFactory.getLogger(Purge.class);

    /** The time to get a connection and to begin the next batch after the longest pause. */
    private static final Duration HOLD_BEYOND_PAUSE = Duration.ofSeconds(5);

    private final PurgeStore store;

    private final PurgeSettings settings;

    private final PurgeThrottle throttle;

    private final IdempotencyListener listener;

    private final Lock running = new ReentrantLock();

    public Purge(PurgeStore store, PurgeSettings settings, IdempotencyListener listener) {
        this.store = store;
        this.settings = settings;
        this.throttle = PurgeThrottle.from(settings.pause());
        this.listener = listener;
    }

    /**
     * Deletes expired rows, for as long as the settings allow.
     *
     * @throws InterruptedException if the thread is interrupted between two batches; finished batches are kept
     */
    public PurgeReport run() throws InterruptedException {
        return run(settings.maxDuration());
    }

    /**
     * Deletes expired rows. If a table fails, the others are purged all the same.
     *
     * @return what was deleted; nothing if another run of this object has not ended
     * @throws InterruptedException if the thread is interrupted between two batches; finished batches are kept
     * @throws RuntimeException the first failure of a table, after all tables; later failures are suppressed in it
     */
    public PurgeReport run(Duration maxDuration) throws InterruptedException {
        if (!running.tryLock()) {
            return new PurgeReport(Map.of(), End.RUNNING_ELSEWHERE);
        }
        try {
            return run(store.begin(throttle.longest().plus(HOLD_BEYOND_PAUSE)), maxDuration);
        } finally {
            running.unlock();
        }
    }

    private PurgeReport run(PurgeLease lease, Duration maxDuration) throws InterruptedException {
        PurgeRun run = new PurgeRun(lease.tables(), settings.batchSize(), throttle, maxDuration);
        try {
            return run.proceed();
        } finally {
            release(lease);
            run.deleted().forEach((table, rows) -> listener.rowsPurged(new RowsPurged(table, rows)));
        }
    }

    /** Releases the lease even if the run was interrupted, so that others need not wait until it expires. */
    private static void release(PurgeLease lease) {
        boolean interrupted = Thread.interrupted();
        try {
            lease.release();
        } catch (RuntimeException unreachable) {
            logger.debug("The purge could not release its lease, which expires soon", unreachable);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
