package io.idempotency.boot.metrics;

import java.time.Clock;
import java.time.Duration;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

import io.idempotency.boot.retention.LatestSample;

/**
 * Gauges of the latest sample. They show NaN if the sample is too old, because an instance that cannot take samples
 * must not hide the values of those that can.
 *
 * @param <T> the kind of sample
 */
public final class SampleGauges<T> {

    /** An exhausted pool or a slow database may delay a sample for this long. */
    private static final Duration SHORTEST_MAX_AGE = Duration.ofMinutes(5);

    private static final int MISSED_INTERVALS = 3;

    private final MeterRegistry registry;

    private final LatestSample<T> latest;

    private final Duration maxAge;

    /**
     * Creates the object without a gauge.
     *
     * @param registry the registry of the gauges
     * @param interval the time between two samples
     * @param clock the clock for the age of a sample
     */
    public SampleGauges(MeterRegistry registry, Duration interval, Clock clock) {
        this.registry = registry;
        this.latest = new LatestSample<>(clock);
        Duration missed = interval.multipliedBy(MISSED_INTERVALS);
        this.maxAge = missed.compareTo(SHORTEST_MAX_AGE) > 0 ? missed : SHORTEST_MAX_AGE;
    }

    /**
     * Replaces the sample.
     *
     * @param sample the new sample
     */
    public void update(T sample) {
        latest.update(sample);
    }

    /**
     * Registers a gauge.
     *
     * @param name the name
     * @param description the description
     * @param unit the unit; {@code null} if there is none
     * @param tags the tags
     * @param value returns the value of a sample
     */
    public void register(String name, String description, @Nullable String unit, Tags tags, ToDoubleFunction<T> value) {
        Gauge.builder(name, this, gauges -> gauges.read(value))
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    private double read(ToDoubleFunction<T> value) {
        LatestSample.Taken<T> taken = latest.get();
        return taken == null || taken.age().compareTo(maxAge) > 0 ? Double.NaN : value.applyAsDouble(taken.sample());
    }
}
