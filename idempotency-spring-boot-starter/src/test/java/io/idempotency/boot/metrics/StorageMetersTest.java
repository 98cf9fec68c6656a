package io.idempotency.boot.metrics;

import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.idempotency.boot.testing.TestClock;
import io.idempotency.observation.RowsPurged;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

import static org.assertj.core.api.Assertions.assertThat;

/** What a scrape sees of the tables. */
@ExtendWith(OutputCaptureExtension.class)
class StorageMetersTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private final TestClock clock = new TestClock();

    private final StorageMeters meters =
            new StorageMeters(registry, new SampleGauges<>(registry, Duration.ofSeconds(30), clock));

    @Test
    void nothingIsShownBeforeTheFirstSample() {
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void gaugesShowTheLatestSampleAndAreRegisteredOnce(CapturedOutput output) {
        meters.storageSampled(new StorageSampled(
                List.of(new TableSample("idempotency_request", 10, Duration.ofMillis(1_500))), 1, 0));
        meters.storageSampled(new StorageSampled(
                List.of(
                        new TableSample("idempotency_request", 20, Duration.ofMillis(2_500)),
                        new TableSample("processed_message", 5, Duration.ZERO)),
                3,
                4));

        assertThat(value("idempotency.rows", "idempotency_request")).isEqualTo(20);
        assertThat(value("idempotency.rows", "processed_message")).isEqualTo(5);
        assertThat(value("idempotency.oldest.expired.age", "idempotency_request"))
                .isEqualTo(2.5);
        assertThat(value("idempotency.oldest.expired.age", "processed_message")).isZero();
        assertThat(registry.get("idempotency.leases.stale").gauge().value()).isEqualTo(3);
        assertThat(registry.get("idempotency.half.done").gauge().value()).isEqualTo(4);
        assertThat(registry.getMeters()).hasSize(6);
        assertThat(output).doesNotContain("already registered");
    }

    @Test
    void gaugesAreNoNumbersWhenTheSampleIsOld() {
        StorageSampled sample =
                new StorageSampled(List.of(new TableSample("idempotency_request", 10, Duration.ofHours(2))), 1, 0);
        meters.storageSampled(sample);
        clock.turn(Duration.ofMinutes(5));
        assertThat(registry.get("idempotency.leases.stale").gauge().value()).isOne();

        clock.turn(Duration.ofSeconds(1));
        assertThat(registry.get("idempotency.leases.stale").gauge().value()).isNaN();
        assertThat(value("idempotency.rows", "idempotency_request")).isNaN();
        assertThat(value("idempotency.oldest.expired.age", "idempotency_request"))
                .isNaN();

        meters.storageSampled(sample);
        assertThat(value("idempotency.rows", "idempotency_request")).isEqualTo(10);
    }

    @Test
    void purgedRowsAddUp() {
        meters.rowsPurged(new RowsPurged("idempotency_request", 7));
        meters.rowsPurged(new RowsPurged("idempotency_request", 5));

        assertThat(registry.get("idempotency.purged")
                        .tag("table", "idempotency_request")
                        .counter()
                        .count())
                .isEqualTo(12);
    }

    private double value(String name, String table) {
        return registry.get(name).tag("table", table).gauge().value();
    }
}
