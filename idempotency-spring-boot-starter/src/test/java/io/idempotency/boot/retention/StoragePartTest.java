package io.idempotency.boot.retention;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.idempotency.boot.sample.HealthDetail;
import io.idempotency.boot.testing.TestClock;
import io.idempotency.observation.StorageSampled;
import io.idempotency.observation.TableSample;

import static org.assertj.core.api.Assertions.assertThat;

/** What gauges and health show of the tables. */
class StoragePartTest {

    private static final Duration MAX_SAMPLE_AGE = Duration.ofMinutes(5);

    private final TestClock clock = new TestClock();

    private final StoragePart part = new StoragePart(Duration.ofSeconds(30), true, Duration.ofHours(1), clock);

    @Test
    void gaugesShowEachTableAndTheLeases() {
        part.storageSampled(new StorageSampled(
                List.of(
                        new TableSample("idempotency_request", 20, Duration.ofMillis(2_500)),
                        new TableSample("processed_message", 5, Duration.ZERO)),
                3,
                4));

        assertThat(part.figures().stream()
                        .map(figure ->
                                figure.name() + " " + figure.table() + " " + figure.unit() + " " + figure.value()))
                .containsExactly(
                        "idempotency.rows idempotency_request rows 20.0",
                        "idempotency.oldest.expired.age idempotency_request seconds 2.5",
                        "idempotency.rows processed_message rows 5.0",
                        "idempotency.oldest.expired.age processed_message seconds 0.0",
                        "idempotency.leases.stale null null 3.0",
                        "idempotency.half.done null null 4.0");
    }

    @Test
    void healthIsDegradedIfTheLatestSampleIsTooOld() {
        part.storageSampled(new StorageSampled(List.of(), 0, 0));
        clock.turn(Duration.ofMinutes(5));
        assertThat(part.health(MAX_SAMPLE_AGE))
                .get()
                .extracting(HealthDetail::isFine)
                .isEqualTo(true);

        clock.turn(Duration.ofMinutes(1));
        assertThat(part.health(MAX_SAMPLE_AGE))
                .contains(new HealthDetail(
                        "purge",
                        false,
                        Map.of(
                                "state", "unknown: the latest sample of the tables is too old",
                                "oldest", "PT0S",
                                "threshold", "PT1H",
                                "sampleAge", "PT6M")));
    }
}
