package io.idempotency.boot.sample;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

/**
 * A part of the library that is sampled. The overview of the endpoint, health and gauges read its latest sample, because none
 * of them must query the database.
 */
public abstract class SampledPart<T> {

    /** An exhausted pool or a slow database may delay a sample for this long. */
    private static final Duration SHORTEST_MAX_AGE = Duration.ofMinutes(5);

    private static final int MISSED_INTERVALS = 3;

    private final String name;

    private final Duration maxAge;

    private final Clock clock;

    private volatile @Nullable Taken<T> latest;

    private volatile Runnable sampled = () -> {};

    /** Creates the part without a sample. The name is that in the overview, the interval the time between two samples. */
    protected SampledPart(String name, Duration interval, Clock clock) {
        this.name = name;
        Duration missed = interval.multipliedBy(MISSED_INTERVALS);
        this.maxAge = missed.compareTo(SHORTEST_MAX_AGE) > 0 ? missed : SHORTEST_MAX_AGE;
        this.clock = clock;
    }

    /** Replaces the sample by one that was taken now. */
    protected final void update(T sample) {
        latest = new Taken<>(clock.instant(), Duration.ZERO, sample);
        sampled.run();
    }

    /** Sets the only action that is run after each sample. */
    public final void onSample(Runnable action) {
        sampled = action;
    }

    /** Returns the name in the overview. */
    public final String name() {
        return name;
    }

    /** Returns the latest sample; {@code null} if none was taken yet. */
    public final @Nullable Taken<T> taken() {
        Taken<T> taken = latest;
        return taken == null ? null : taken.at(clock.instant());
    }

    /**
     * Returns the figures of the latest sample; empty if it is too old. An instance that cannot take samples must not hide the
     * values of those that can.
     */
    public final List<Figure> figures() {
        Taken<T> taken = taken();
        return taken == null || taken.age().compareTo(maxAge) > 0 ? List.of() : figuresOf(taken.sample());
    }

    /** Returns what gauges show of a sample. */
    protected abstract List<Figure> figuresOf(T sample);

    /** Judges the latest sample, unless it is older than the maximum. Empty if health has no detail of this part. */
    public abstract Optional<HealthDetail> health(Duration maxSampleAge);

    /** A sample that was taken, with its age in whole seconds. */
    public record Taken<T>(
            Instant sampledAt, Duration age, @JsonUnwrapped T sample) {

        private Taken<T> at(Instant now) {
            long seconds = Math.max(0, Duration.between(sampledAt, now).toSeconds());
            return new Taken<>(sampledAt, Duration.ofSeconds(seconds), sample);
        }
    }

    /** The value of one gauge, whose only tag is the table if there is one. */
    public record Figure(
            String name,
            String description,
            @Nullable String unit,
            @Nullable String table,
            double value) {

        /** Returns the figure of a duration. */
        public static Figure ofSeconds(String name, String description, @Nullable String table, Duration duration) {
            return new Figure(name, description, "seconds", table, duration.toMillis() / 1000.0);
        }

        /** Returns whether a figure of another sample is that of the same gauge. */
        public boolean isOfSameGauge(Figure other) {
            return name.equals(other.name) && Objects.equals(table, other.table);
        }
    }
}
