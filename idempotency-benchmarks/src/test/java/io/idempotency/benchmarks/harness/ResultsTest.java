package io.idempotency.benchmarks.harness;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class ResultsTest {

    private final Results results = new Results(Job.NEW_KEY, List.of("plain", "starter"), List.of(4, 8));

    @Test
    void theRatioIsTheMedianOfThoseWithinARound() {
        addRounds();

        assertThat(results.ratio("starter", "plain", 4)).isEqualTo(0.6, within(1e-9));
        assertThat(results.ratio("starter", "hand-written", 4)).isNaN();
    }

    @Test
    void halfOfTheRatiosLieWithinTheSpread() {
        addRounds();

        assertThat(results.spread("starter", "plain", 4)).isEqualTo(0.1 / 0.6, within(1e-9));
        assertThat(results.spread("plain", "plain", 4)).isZero();
    }

    @Test
    void theTableHasALineForEachContenderAndAValueForEachNumberOfThreads() {
        addRounds();

        assertThat(results.markdown())
                .contains(
                        "| `plain` | 200 / 1,000 | 1.00 / 1.00 |  /  | 0.10 / 0.10 | 0.20 / 0.20 | 80 / 80 | 300 | 3.00 |",
                        "| `starter` | 100 / 500 | 0.60 / 0.50 |  /  | 0.15 / 0.15 | 0.21 / 0.21 | 110 / 110 | 1,000 | 5.00 |");
    }

    @Test
    void aQuantileIsTheSmallestValueThatThatPartDoesNotExceed() {
        assertThat(Quantiles.quantile(List.of(8.0, 4.0), 0.5)).isEqualTo(4);
        assertThat(Quantiles.quantile(List.of(8.0, 4.0), 0.99)).isEqualTo(8);
        assertThat(Quantiles.quantile(List.of(4.0), 0)).isEqualTo(4);
        assertThat(Quantiles.median(List.of(9.0, 1.0, 5.0))).isEqualTo(5);
        assertThat(Quantiles.median(List.of(8.0, 1.0, 4.0, 2.0))).isEqualTo(3);
        assertThat(Quantiles.median(List.of())).isNaN();
    }

    /** Ratios 0.6, 0.5 and 0.8 with four threads. */
    private void addRounds() {
        double[] plain = {100, 200, 1_000};
        double[] starter = {60, 100, 800};
        for (int round = 0; round < plain.length; round++) {
            results.add("plain", 4, new Measurement(plain[round], 0.1, 0.2, 80, 300, 3));
            results.add("starter", 4, new Measurement(starter[round], 0.15, 0.21, 110, 1_000, 5));
        }
        results.add("plain", 8, new Measurement(1_000, 0.1, 0.2, 80, 300, 3));
        results.add("starter", 8, new Measurement(500, 0.15, 0.21, 110, 1_000, 5));
    }
}
