package io.idempotency.boot.actuate;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.OutboxSampled;
import io.idempotency.observation.StorageSampled;

/** What was seen at the last looks at the tables, so that whoever asks again and again does not ask the database. */
final class LastSamples implements IdempotencyListener {

    private final Clock clock;

    private volatile @Nullable Sample<StorageSampled> storage;

    private volatile @Nullable Sample<OutboxSampled> outbox;

    LastSamples(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void storageSampled(StorageSampled event) {
        storage = new Sample<>(event, clock.instant());
    }

    @Override
    public void outboxSampled(OutboxSampled event) {
        outbox = new Sample<>(event, clock.instant());
    }

    @Nullable Sample<StorageSampled> storage() {
        return storage;
    }

    @Nullable Sample<OutboxSampled> outbox() {
        return outbox;
    }

    Duration ageOf(Sample<?> sample) {
        return Duration.ofSeconds(
                Math.max(0, Duration.between(sample.at(), clock.instant()).toSeconds()));
    }

    record Sample<T>(T seen, Instant at) {}
}
