package io.idempotency.boot.actuate;

import java.time.Clock;

import org.jspecify.annotations.Nullable;

import io.idempotency.boot.retention.LatestSample;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.OutboxSampled;
import io.idempotency.observation.StorageSampled;

/** The latest samples of the tables and of the outbox, for the endpoint and the health indicator. */
final class LatestSamples implements IdempotencyListener {

    private final LatestSample<StorageSampled> storage;

    private final LatestSample<OutboxSampled> outbox;

    LatestSamples(Clock clock) {
        this.storage = new LatestSample<>(clock);
        this.outbox = new LatestSample<>(clock);
    }

    @Override
    public void storageSampled(StorageSampled event) {
        storage.update(event);
    }

    @Override
    public void outboxSampled(OutboxSampled event) {
        outbox.update(event);
    }

    LatestSample.@Nullable Taken<StorageSampled> storage() {
        return storage.get();
    }

    LatestSample.@Nullable Taken<OutboxSampled> outbox() {
        return outbox.get();
    }
}
