package io.idempotency.boot.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/** The meters of the library's tables. */
final class StorageMeters implements IdempotencyListener {

    private final MeterRegistry registry;

    private final SampleGauges<StorageSampled> storage;

    private final Set<String> registered = ConcurrentHashMap.newKeySet();

    StorageMeters(MeterRegistry registry, SampleGauges<StorageSampled> storage) {
        this.registry = registry;
        this.storage = storage;
    }

    @Override
    public void rowsPurged(RowsPurged event) {
        Counter.builder(IdempotencyMeters.PURGED)
                .description("Expired rows that were deleted")
                .baseUnit("rows")
                .tag(IdempotencyMeters.TABLE, event.table())
                .register(registry)
                .increment((double) event.rows());
    }

    @Override
    public void storageSampled(StorageSampled event) {
        storage.update(event);
        for (TableSample table : event.tables()) {
            if (registered.add(table.table())) {
                register(table.table());
            }
        }
        if (registered.add(IdempotencyMeters.STALE_LEASES)) {
            storage.register(
                    IdempotencyMeters.STALE_LEASES,
                    "Leases that have expired and were not reclaimed",
                    null,
                    Tags.empty(),
                    StorageSampled::staleLeases);
            storage.register(
                    IdempotencyMeters.HALF_DONE,
                    "Leased calls that have failed after recorded steps and were not called again",
                    null,
                    Tags.empty(),
                    StorageSampled::halfDone);
        }
    }

    private void register(String table) {
        tableGauge(IdempotencyMeters.ROWS, "Rows, as PostgreSQL estimates them", "rows", table, TableSample::rows);
        tableGauge(
                IdempotencyMeters.OLDEST_EXPIRED_AGE,
                "Time since the oldest row expired that the purge may delete",
                "seconds",
                table,
                sample -> sample.oldestExpired().toMillis() / 1000.0);
    }

    private void tableGauge(
            String name, String description, String unit, String table, ToDoubleFunction<TableSample> value) {
        storage.register(
                name,
                description,
                unit,
                Tags.of(IdempotencyMeters.TABLE, table),
                sampled -> valueOf(sampled, table, value));
    }

    private static double valueOf(StorageSampled sampled, String table, ToDoubleFunction<TableSample> value) {
        return sampled.tables().stream()
                .filter(sample -> sample.table().equals(table))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }
}
