package io.idempotency.retention;

import java.time.Duration;
import java.util.List;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;

/**
 * Deletes expired rows in small batches, until none is left or its time is up. Several instances may run at once: they
 * skip each other's rows.
 */
public final class Purge {

    private final List<ExpiringTable> tables;

    private final int batchSize;

    private final Duration pause;

    private final Duration maxDuration;

    private final IdempotencyListener listener;

    /**
     * Creates the purge.
     *
     * @param tables what to purge, in this order
     * @param batchSize rows in one transaction, at least 1
     * @param pause between two batches, so that foreground work is not slowed down
     * @param maxDuration after which no further batch is started
     * @param listener told what was deleted
     */
    public Purge(
            List<ExpiringTable> tables,
            int batchSize,
            Duration pause,
            Duration maxDuration,
            IdempotencyListener listener) {
        this.tables = List.copyOf(tables);
        this.batchSize = batchSize;
        this.pause = pause;
        this.maxDuration = maxDuration;
        this.listener = listener;
    }

    /**
     * Deletes what has expired.
     *
     * @return the number of deleted rows
     * @throws InterruptedException if the thread is interrupted between two batches; what was deleted stays deleted
     */
    public long run() throws InterruptedException {
        long deadline = System.nanoTime() + maxDuration.toNanos();
        long total = 0;
        for (ExpiringTable table : tables) {
            total += purge(table, deadline);
        }
        return total;
    }

    private long purge(ExpiringTable table, long deadline) throws InterruptedException {
        long deleted = 0;
        try {
            while (true) {
                int batch = table.deleteExpired(batchSize);
                deleted += batch;
                if (batch < batchSize || System.nanoTime() - deadline >= 0) {
                    return deleted;
                }
                Thread.sleep(pause.toMillis());
            }
        } finally {
            if (deleted > 0) {
                listener.rowsPurged(new RowsPurged(table.name(), deleted));
            }
        }
    }
}
