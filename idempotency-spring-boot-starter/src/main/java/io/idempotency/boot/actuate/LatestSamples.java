package io.idempotency.boot.actuate;

import java.time.Clock;

import org.jspecify.annotations.Nullable;

import io.idempotency.boot.retention.LatestSample;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StorageSampled;

/** The latest sample of the tables, for the endpoint and the health indicator. */
final class LatestSamples implements IdempotencyListener {

    private final LatestSample<StorageSampled> storage;

    LatestSamples(Clock clock) {
        this.storage = new LatestSample<>(clock);
    }

    @Override
    public void storageSampled(StorageSampled event) {
        storage.update(event);
    }

    LatestSample.@Nullable Taken<StorageSampled> storage() {
        return storage.get();
    }
}
