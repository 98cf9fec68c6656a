package io.idempotency.boot.metrics;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.idempotency.boot.sample.HealthDetail;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.boot.testing.TestClock;

import static org.assertj.core.api.Assertions.assertThat;

/** What a scrape sees of samples. */
@ExtendWith(OutputCaptureExtension.class)
class SampleGaugesTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private final TestClock clock = new TestClock();

    private final Counted counted = new Counted(Duration.ofSeconds(30), clock);

    SampleGaugesTest() {
        new SampleGauges(registry, Stream.of(counted));
    }

    @Test
    void nothingIsShownBeforeTheFirstSample() {
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void gaugesShowTheLatestSampleAndAreRegisteredOnce(CapturedOutput output) {
        counted.sampled(rows("idempotency_request", 10), stale(1));
        counted.sampled(rows("idempotency_request", 20), rows("processed_message", 5), stale(3));

        assertThat(value("idempotency_request")).isEqualTo(20);
        assertThat(value("processed_message")).isEqualTo(5);
        assertThat(registry.get("stale").gauge().value()).isEqualTo(3);
        assertThat(registry.get("stale").gauge().getId().getTags()).isEmpty();
        assertThat(registry.get("stale").gauge().getId().getDescription()).isEqualTo("Stale");
        assertThat(registry.getMeters()).hasSize(3);
        assertThat(output).doesNotContain("already registered");
    }

    @Test
    void gaugesAreNoNumbersWhenTheSampleIsOldOrDoesNotHaveThem() {
        counted.sampled(rows("idempotency_request", 10), stale(1));
        clock.turn(Duration.ofMinutes(5));
        assertThat(registry.get("stale").gauge().value()).isOne();

        clock.turn(Duration.ofSeconds(1));
        assertThat(registry.get("stale").gauge().value()).isNaN();
        assertThat(value("idempotency_request")).isNaN();

        counted.sampled(stale(2));
        assertThat(registry.get("stale").gauge().value()).isEqualTo(2);
        assertThat(value("idempotency_request")).isNaN();
    }

    @Test
    void gaugesOfRareSamplesAreOldAfterThreeIntervals() {
        Counted rare = new Counted(Duration.ofMinutes(10), clock);
        new SampleGauges(registry, Stream.of(rare));
        rare.sampled(stale(1));

        clock.turn(Duration.ofMinutes(30));
        assertThat(registry.get("stale").gauge().value()).isOne();
        clock.turn(Duration.ofSeconds(1));
        assertThat(registry.get("stale").gauge().value()).isNaN();
    }

    private double value(String table) {
        return registry.get("rows").tag("table", table).gauge().value();
    }

    private static SampledPart.Figure rows(String table, int rows) {
        return new SampledPart.Figure("rows", "Rows", "rows", table, rows);
    }

    private static SampledPart.Figure stale(int leases) {
        return new SampledPart.Figure("stale", "Stale", null, null, leases);
    }

    private static final class Counted extends SampledPart<List<SampledPart.Figure>> {

        Counted(Duration interval, Clock clock) {
            super("counted", interval, clock);
        }

        void sampled(Figure... figures) {
            update(List.of(figures));
        }

        @Override
        protected List<Figure> figuresOf(List<Figure> sample) {
            return sample;
        }

        @Override
        public Optional<HealthDetail> health(Duration maxSampleAge) {
            return Optional.empty();
        }
    }
}
