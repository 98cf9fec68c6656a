package io.idempotency.boot.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import io.idempotency.boot.sample.SampledPart;
import io.idempotency.boot.sample.SampledPart.Figure;

/** The gauges of samples, each registered with the first sample that has it. They show NaN if the sample is too old. */
final class SampleGauges {

    private final MeterRegistry registry;

    private final List<Figure> registered = new ArrayList<>();

    SampleGauges(MeterRegistry registry, Stream<? extends SampledPart<?>> parts) {
        this.registry = registry;
        parts.forEach(part -> part.onSample(() -> registerNew(part)));
    }

    private synchronized void registerNew(SampledPart<?> part) {
        for (Figure figure : part.figures()) {
            if (registered.stream().noneMatch(figure::isOfSameGauge)) {
                registered.add(figure);
                Gauge.builder(figure.name(), part, sampled -> read(sampled, figure))
                        .description(figure.description())
                        .baseUnit(figure.unit())
                        .tags(figure.table() == null ? Tags.empty() : Tags.of(IdempotencyMeters.TABLE, figure.table()))
                        .register(registry);
            }
        }
    }

    private static double read(SampledPart<?> part, Figure registered) {
        return part.figures().stream()
                .filter(registered::isOfSameGauge)
                .mapToDouble(Figure::value)
                .findFirst()
                .orElse(Double.NaN);
    }
}
