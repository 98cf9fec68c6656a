package io.idempotency.boot.retention;

import java.time.Clock;
import java.time.Duration;

import io.idempotency.boot.sample.SampledPart;
import io.idempotency.observation.StorageSampled;

/** The part of the tables for tests of other packages. */
public final class StorageParts {

    private StorageParts() {}

    /** Returns a part that is an {@link io.idempotency.observation.IdempotencyListener} as well. */
    public static SampledPart<StorageSampled> create() {
        return new StoragePart(Duration.ofSeconds(30), true, Duration.ofHours(1), Clock.systemUTC());
    }
}
