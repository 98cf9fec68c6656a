package io.idempotency.boot.messaging.metrics;

import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import io.idempotency.boot.metrics.SampleGauges;
import io.idempotency.boot.testing.TestClock;
import io.idempotency.messaging.PartitionSample;

import static org.assertj.core.api.Assertions.assertThat;

/** What a scrape sees of partitions. */
class PartitionMetersTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private final PartitionMeters meters =
            new PartitionMeters(new SampleGauges<>(registry, Duration.ofSeconds(30), new TestClock()));

    @Test
    void gaugesShowTheLatestSample() {
        assertThat(registry.getMeters()).isEmpty();

        meters.partitionsSampled(new PartitionSample("processed_message", 20, 6, Duration.ZERO, false, List.of()));
        meters.partitionsSampled(
                new PartitionSample("processed_message", 21, 7, Duration.ofMillis(1_500), false, List.of("look")));

        assertThat(value("idempotency.partitions")).isEqualTo(21);
        assertThat(value("idempotency.partitions.ahead")).isEqualTo(7);
        assertThat(value("idempotency.partitions.overdue")).isEqualTo(1.5);
        assertThat(value("idempotency.partitions.problems")).isOne();
    }

    private double value(String name) {
        return registry.get(name).tag("table", "processed_message").gauge().value();
    }
}
