package io.idempotency.boot.contract;

import java.util.Map;
import java.util.TreeMap;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tag;

/** How often each meter of the library has counted so far. */
record Measurements(Map<String, Double> counts) {

    static Measurements of(MeterRegistry registry) {
        Map<String, Double> counts = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            if (meter.getId().getName().startsWith("idempotency.")) {
                counts.put(nameOf(meter.getId()), countOf(meter));
            }
        }
        return new Measurements(counts);
    }

    /** What has counted since then, and how much. */
    Map<String, Double> since(Measurements before) {
        Map<String, Double> moved = new TreeMap<>();
        counts.forEach((name, count) -> {
            double difference = count - before.counts.getOrDefault(name, 0.0);
            if (difference != 0) {
                moved.put(name, difference);
            }
        });
        return moved;
    }

    private static double countOf(Meter meter) {
        for (Measurement measurement : meter.measure()) {
            if (measurement.getStatistic() == Statistic.COUNT) {
                return measurement.getValue();
            }
        }
        return 0;
    }

    private static String nameOf(Meter.Id id) {
        StringBuilder name = new StringBuilder(id.getName());
        for (Tag tag : id.getTags()) {
            name.append(' ').append(tag.getKey()).append('=').append(tag.getValue());
        }
        return name.toString();
    }
}
