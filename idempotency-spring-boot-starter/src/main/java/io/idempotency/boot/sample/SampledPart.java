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
 *
 * @param <T> the kind of sample
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

    /**
     * Creates the part without a sample.
     *
     * @param name the name of the part in the overview
     * @param interval the time between two samples
     * @param clock the clock for the time and age of a sample
     */
    protected SampledPart(String name, Duration interval, Clock clock) {
        this.name = name;
        Duration missed = interval.multipliedBy(MISSED_INTERVALS);
        this.maxAge = missed.compareTo(SHORTEST_MAX_AGE) > 0 ? missed : SHORTEST_MAX_AGE;
        this.clock = clock;
    }

    /**
     * Replaces the sample by one that was taken now.
     *
     * @param sample the new sample
     */
    protected final void update(T sample) {
        latest = new Taken<>(clock.instant(), Duration.ZERO, sample);
        sampled.run();
    }

    /**
     * Sets what is run after each sample.
     *
     * @param action the only such action
     */
    public final void onSample(Runnable action) {
        sampled = action;
    }

    /**
     * Returns the name of this part in the overview.
     *
     * @return the name
     */
    public final String name() {
        return name;
    }

    /**
     * Returns the latest sample.
     *
     * @return the sample with its age; {@code null} if none was taken yet
     */
    public final @Nullable Taken<T> taken() {
        Taken<T> taken = latest;
        return taken == null ? null : taken.at(clock.instant());
    }

    /**
     * Returns what gauges show now. An instance that cannot take samples must not hide the values of those that can.
     *
     * @return the figures of the latest sample; empty if it is too old
     */
    public final List<Figure> figures() {
        Taken<T> taken = taken();
        return taken == null || taken.age().compareTo(maxAge) > 0 ? List.of() : figuresOf(taken.sample());
    }

    /**
     * Returns what gauges show of a sample.
     *
     * @param sample the sample
     * @return its figures
     */
    protected abstract List<Figure> figuresOf(T sample);

    /**
     * Judges the latest sample.
     *
     * @param maxSampleAge the greatest age of a sample from which health is determined
     * @return the detail of health; empty if this part has none
     */
    public abstract Optional<HealthDetail> health(Duration maxSampleAge);

    /**
     * A sample that was taken.
     *
     * @param <T> the kind of sample
     * @param sampledAt the time of the sample
     * @param age the age of the sample, in whole seconds
     * @param sample the values
     */
    public record Taken<T>(
            Instant sampledAt, Duration age, @JsonUnwrapped T sample) {

        private Taken<T> at(Instant now) {
            long seconds = Math.max(0, Duration.between(sampledAt, now).toSeconds());
            return new Taken<>(sampledAt, Duration.ofSeconds(seconds), sample);
        }
    }

    /**
     * What one gauge shows.
     *
     * @param name the name of the gauge
     * @param description the description of the gauge
     * @param unit the unit; {@code null} if there is none
     * @param table the table, as the only tag; {@code null} if there is none
     * @param value the value
     */
    public record Figure(
            String name,
            String description,
            @Nullable String unit,
            @Nullable String table,
            double value) {

        /**
         * Creates the figure of a duration.
         *
         * @param name the name of the gauge
         * @param description the description of the gauge
         * @param table the table; {@code null} if there is none
         * @param duration the duration
         * @return the figure, in seconds
         */
        public static Figure ofSeconds(String name, String description, @Nullable String table, Duration duration) {
            return new Figure(name, description, "seconds", table, duration.toMillis() / 1000.0);
        }

        /**
         * Returns whether a figure of another sample belongs to the same gauge.
         *
         * @param other the other figure
         * @return whether name and table are the same
         */
        public boolean isOfSameGauge(Figure other) {
            return name.equals(other.name) && Objects.equals(table, other.table);
        }
    }
}
