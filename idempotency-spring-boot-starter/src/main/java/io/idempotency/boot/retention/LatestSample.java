package io.idempotency.boot.retention;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The latest sample of one kind. Metrics and operators read it, because a scrape must not query the database.
 *
 * @param <T> the kind of sample
 */
public final class LatestSample<T> {

    private final Clock clock;

    private volatile @Nullable Stored<T> latest;

    /**
     * Creates a holder without a sample.
     *
     * @param clock the clock for the time and age of a sample
     */
    public LatestSample(Clock clock) {
        this.clock = clock;
    }

    /**
     * Replaces the sample by one that was taken now.
     *
     * @param sample the new sample
     */
    public void update(T sample) {
        latest = new Stored<>(sample, clock.instant());
    }

    /**
     * Returns the sample.
     *
     * @return the sample; {@code null} if none was taken yet
     */
    public @Nullable Taken<T> get() {
        Stored<T> stored = latest;
        return stored == null ? null : new Taken<>(stored.sample, stored.at, ageOf(stored));
    }

    private Duration ageOf(Stored<T> stored) {
        return Duration.ofSeconds(
                Math.max(0, Duration.between(stored.at, clock.instant()).toSeconds()));
    }

    private record Stored<T>(T sample, Instant at) {}

    /**
     * A sample that was taken.
     *
     * @param <T> the kind of sample
     * @param sample the values
     * @param at the time of the sample
     * @param age the age of the sample, in whole seconds
     */
    public record Taken<T>(T sample, Instant at, Duration age) {}
}
