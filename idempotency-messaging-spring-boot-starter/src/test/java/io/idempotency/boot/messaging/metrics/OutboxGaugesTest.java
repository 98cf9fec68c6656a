package io.idempotency.boot.messaging.metrics;

import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.idempotency.boot.metrics.SampleGauges;
import io.idempotency.boot.testing.TestClock;
import io.idempotency.messaging.OutboxSampled;

import static org.assertj.core.api.Assertions.assertThat;

/** What a scrape sees of the outbox. */
@ExtendWith(OutputCaptureExtension.class)
class OutboxGaugesTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private final TestClock clock = new TestClock();

    private final OutboxMeters listener =
            new OutboxMeters(registry, new SampleGauges<>(registry, Duration.ofMinutes(10), clock));

    @Test
    void gaugesShowTheLatestSampleAndAreRegisteredOnce(CapturedOutput output) {
        listener.outboxSampled(new OutboxSampled(1, 2, Duration.ofMillis(1_500), List.of()));
        listener.outboxSampled(new OutboxSampled(3, 4, Duration.ofMillis(2_500), List.of()));

        assertThat(value("idempotency.outbox.pending")).isEqualTo(3);
        assertThat(value("idempotency.outbox.dead.kept")).isEqualTo(4);
        assertThat(value("idempotency.outbox.oldest.age")).isEqualTo(2.5);
        assertThat(output).doesNotContain("already registered");
    }

    private double value(String name) {
        return registry.get(name).gauge().value();
    }
}
