package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Queue;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.retention.PurgeReport.End;

/**
 * One run of the purge. It deletes a batch from each table in turn, because the rows of a table may expire as quickly as they are
 * deleted.
 */
final class PurgeRun {

    private static final OptionalInt NONE = OptionalInt.of(0);

    private final Queue<ExpiringTable> tables;

    private final int batchSize;

    private final PurgeThrottle throttle;

    private final Duration maxDuration;

    private final long start = System.nanoTime();

    private final Map<String, Long> deleted = new LinkedHashMap<>();

    private @Nullable RuntimeException failure;

    PurgeRun(List<ExpiringTable> tables, int batchSize, PurgeThrottle throttle, Duration maxDuration) {
        this.tables = new ArrayDeque<>(tables);
        this.batchSize = batchSize;
        this.throttle = throttle;
        this.maxDuration = maxDuration;
    }

    PurgeReport proceed() throws InterruptedException {
        End end = deleteBatches();
        if (failure != null) {
            throw failure;
        }
        return new PurgeReport(deleted, end);
    }

    /** The tables from which rows were deleted so far, in the order of their first batches. */
    Map<String, Long> deleted() {
        return Collections.unmodifiableMap(deleted);
    }

    private End deleteBatches() throws InterruptedException {
        for (ExpiringTable table = tables.poll(); table != null; table = tables.poll()) {
            long batchStart = System.nanoTime();
            OptionalInt batch = deleteBatch(table);
            if (batch.isEmpty()) {
                return End.RUNNING_ELSEWHERE;
            }
            if (batch.getAsInt() == batchSize) {
                tables.add(table);
                Duration pause = throttle.after(since(batchStart));
                if (since(start).plus(pause).compareTo(maxDuration) >= 0) {
                    return End.TIME_UP;
                }
                Thread.sleep(pause.toMillis());
            }
        }
        return End.NOTHING_LEFT;
    }

    private OptionalInt deleteBatch(ExpiringTable table) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        try {
            OptionalInt batch = table.deleteExpired(batchSize);
            if (batch.orElse(0) > 0) {
                deleted.merge(table.name(), (long) batch.getAsInt(), Long::sum);
            }
            return batch;
        } catch (RuntimeException failed) {
            if (failure == null) {
                failure = failed;
            } else {
                failure.addSuppressed(failed);
            }
            return NONE;
        }
    }

    private static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }
}
