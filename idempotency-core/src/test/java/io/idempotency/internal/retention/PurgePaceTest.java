package io.idempotency.internal.retention;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PurgePaceTest {

    @ParameterizedTest
    @CsvSource({
        "100, 0, 100",
        "100, 9, 100",
        "100, 10, 100",
        "100, 20, 200",
        "100, 199, 1990",
        "100, 200, 2000",
        "100, 60000, 2000",
        "10, 2, 20",
        "0, 50, 0"
    })
    void pausesTenTimesAsLongAsTheBatchTookWithinItsBounds(long shortest, long batch, long pause) {
        assertThat(PurgeThrottle.from(Duration.ofMillis(shortest)).after(Duration.ofMillis(batch)))
                .isEqualTo(Duration.ofMillis(pause));
    }
}
