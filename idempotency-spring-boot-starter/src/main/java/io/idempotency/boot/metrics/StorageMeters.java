package io.idempotency.boot.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

/** Measures the library's tables. */
final class StorageMeters implements IdempotencyListener {

    private final MeterRegistry registry;

    /** Of the last look, because a scrape must not ask the database. */
    private final Map<String, TableSample> tables = new ConcurrentHashMap<>();

    private volatile @Nullable AtomicInteger staleLeases;

    StorageMeters(MeterRegistry registry) {
        this.registry = registry;
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
        for (TableSample table : event.tables()) {
            if (tables.put(table.table(), table) == null) {
                register(table.table());
            }
        }
        AtomicInteger leases = staleLeases;
        if (leases == null) {
            staleLeases = new AtomicInteger(event.staleLeases());
            Gauge.builder(IdempotencyMeters.STALE_LEASES, staleLeases, AtomicInteger::get)
                    .description("Leases that have expired and were not taken over")
                    .register(registry);
        } else {
            leases.set(event.staleLeases());
        }
    }

    private void register(String table) {
        gauge(IdempotencyMeters.ROWS, "Rows, as PostgreSQL estimates them", "rows", table, TableSample::rows);
        gauge(
                IdempotencyMeters.OLDEST_EXPIRED_AGE,
                "Time that the oldest row has been expired which the purge may delete",
                "seconds",
                table,
                sample -> sample.oldestExpired().toMillis() / 1000.0);
    }

    private void gauge(
            String name, String description, String unit, String table, ToDoubleFunction<TableSample> value) {
        Gauge.builder(name, tables, samples -> {
                    TableSample last = samples.get(table);
                    return last == null ? Double.NaN : value.applyAsDouble(last);
                })
                .description(description)
                .baseUnit(unit)
                .tag(IdempotencyMeters.TABLE, table)
                .register(registry);
    }
}
