package io.idempotency.boot.retention;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.idempotency.boot.metrics.IdempotencyMeters;
import io.idempotency.boot.sample.HealthDetail;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/** The library's tables. Their health is that of the purge. */
final class StoragePart extends SampledPart<StorageSampled> implements IdempotencyListener {

    private static final String PURGE = "purge";

    private final boolean purges;

    private final Duration maxPurgeDelay;

    StoragePart(Duration interval, boolean purges, Duration maxPurgeDelay, Clock clock) {
        super("storage", interval, clock);
        this.purges = purges;
        this.maxPurgeDelay = maxPurgeDelay;
    }

    @Override
    public void storageSampled(StorageSampled event) {
        update(event);
    }

    @Override
    protected List<Figure> figuresOf(StorageSampled sample) {
        List<Figure> figures = new ArrayList<>();
        for (TableSample of : sample.tables()) {
            figures.add(new Figure(
                    IdempotencyMeters.ROWS, "Rows, as PostgreSQL estimates them", "rows", of.table(), of.rows()));
            figures.add(Figure.ofSeconds(
                    IdempotencyMeters.OLDEST_EXPIRED_AGE,
                    "Time since the oldest row expired that the purge may delete",
                    of.table(),
                    of.oldestExpired()));
        }
        figures.add(new Figure(
                IdempotencyMeters.STALE_LEASES,
                "Leases that have expired and were not reclaimed",
                null,
                null,
                sample.staleLeases()));
        figures.add(new Figure(
                IdempotencyMeters.HALF_DONE,
                "Leased calls that have failed after recorded steps and were not called again",
                null,
                null,
                sample.halfDone()));
        return figures;
    }

    @Override
    public Optional<HealthDetail> health(Duration maxSampleAge) {
        return Optional.of(
                purges
                        ? HealthDetail.ofSample(PURGE, taken(), StoragePart::oldestExpired, maxPurgeDelay, maxSampleAge)
                        : HealthDetail.notDoneHere(PURGE, maxPurgeDelay));
    }

    private static Duration oldestExpired(StorageSampled sample) {
        return sample.tables().stream()
                .map(TableSample::oldestExpired)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }
}
