package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/** Looks at the tables and tells what it sees. */
public final class StorageSampler {

    /** Enough to see that something is wrong. */
    private static final int MOST_STALE_LEASES = 100_000;

    private final StorageStatistics statistics;

    private final IdempotencyListener listener;

    /**
     * Creates the sampler.
     *
     * @param statistics of the tables
     * @param listener told what was seen
     */
    public StorageSampler(StorageStatistics statistics, IdempotencyListener listener) {
        this.statistics = statistics;
        this.listener = listener;
    }

    /** Looks once. Quick whatever the size of the tables. */
    public void sample() {
        Map<String, Duration> oldestExpired = statistics.oldestExpired();
        List<TableSample> tables = statistics.estimateRows().entrySet().stream()
                .map(rows -> new TableSample(
                        rows.getKey(), rows.getValue(), oldestExpired.getOrDefault(rows.getKey(), Duration.ZERO)))
                .toList();
        listener.storageSampled(
                new StorageSampled(tables, statistics.countStaleLeases(MOST_STALE_LEASES), statistics.partitions()));
    }
}
