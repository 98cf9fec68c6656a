package io.idempotency.internal.backoff;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.backoff.BackOffExecution;

import static org.assertj.core.api.Assertions.assertThat;

/** How long the pauses between attempts are. */
class BackoffTest {

    /** The columns: the settings in milliseconds; the bounds of each pause. */
    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, delimiter = '|', textBlock = """
            delay | multiplier | longest | random | first   | second  | third
            100   | 2          | 1000    | true   | 100-150 | 100-300 | 200-600
            100   | 1          | 1000    | true   | 100-150 | 100-150 | 100-150
            100   | 3          | 250     | true   | 100-150 | 150-250 | 150-250
            100   | 2          | 50      | true   | 50-50   | 50-50   | 50-50
            1     | 2          | 1000    | true   | 1-1     | 2-2     | 4-4
            100   | 2          | 1000    | false  | 100-100 | 200-200 | 400-400
            100   | 2          | 150     | false  | 100-100 | 150-150 | 150-150
            """)
    void thePausesGrowAndDiffer(
            long delay, double multiplier, long longest, boolean random, String first, String second, String third) {
        Backoff backoff = new Backoff(Duration.ofMillis(delay), multiplier, Duration.ofMillis(longest), random);
        BackOffExecution pauses = backoff.start();

        int failures = 1;
        for (String bounds : new String[] {first, second, third}) {
            long least = Long.parseLong(bounds.substring(0, bounds.indexOf('-')));
            long most = Long.parseLong(bounds.substring(bounds.indexOf('-') + 1));
            assertThat(pauses.nextBackOff()).isBetween(least, most);
            assertThat(backoff.after(failures++).toMillis()).isBetween(least, most);
        }
    }

    @Test
    void aPauseIsNeverLongerThanTheLongestHoweverManyFailuresThereWere() {
        Backoff backoff = new Backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(10));

        assertThat(backoff.after(10_000)).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
        assertThat(backoff.atMost(Duration.ofMinutes(1)).after(10_000))
                .isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
        assertThat(backoff.atMost(Duration.ofHours(1))).isEqualTo(backoff);
    }
}
