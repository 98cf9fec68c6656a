package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.List;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/** Takes samples of the tables and gives them to a listener. */
public final class StorageSampler implements Sampler {

    /** The largest number that is counted. */
    private static final int MOST_UNFINISHED = 100_000;

    private final StorageStatistics statistics;

    private final IdempotencyListener listener;

    public StorageSampler(StorageStatistics statistics, IdempotencyListener listener) {
        this.statistics = statistics;
        this.listener = listener;
    }

    @Override
    public void sample() {
        StorageStatistics.Sample sample = statistics.sample(MOST_UNFINISHED);
        List<TableSample> tables = sample.rows().entrySet().stream()
                .map(rows -> new TableSample(
                        rows.getKey(),
                        rows.getValue(),
                        sample.oldestExpired().getOrDefault(rows.getKey(), Duration.ZERO)))
                .toList();
        listener.storageSampled(new StorageSampled(tables, sample.staleLeases(), sample.halfDone()));
    }
}
