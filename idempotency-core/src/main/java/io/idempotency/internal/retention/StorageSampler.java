package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/** Takes samples of the tables and gives them to a listener. */
public final class StorageSampler implements Sampler {

    /** The largest number that is counted. */
    private static final int MOST_STALE_LEASES = 100_000;

    private final StorageStatistics statistics;

    private final IdempotencyListener listener;

    public StorageSampler(StorageStatistics statistics, IdempotencyListener listener) {
        this.statistics = statistics;
        this.listener = listener;
    }

    @Override
    public void sample() {
        Map<String, Duration> oldestExpired = statistics.oldestExpired();
        List<TableSample> tables = statistics.estimateRows().entrySet().stream()
                .map(rows -> new TableSample(
                        rows.getKey(), rows.getValue(), oldestExpired.getOrDefault(rows.getKey(), Duration.ZERO)))
                .toList();
        listener.storageSampled(new StorageSampled(tables, statistics.countStaleLeases(MOST_STALE_LEASES)));
    }
}
