package io.idempotency.benchmarks;

import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class QuantilesTest {

    @Test
    void theMedianOfRoundsIsTheOneInTheMiddleInWhateverOrder() {
        assertThat(Median.of(List.of(9.0, 1.0, 5.0))).isEqualTo(5);
        assertThat(Median.of(List.of(7.0))).isEqualTo(7);
        assertThat(Median.of(List.of())).isNaN();
    }

    @Test
    void theMedianOfAnEvenNumberOfRoundsFavoursNeitherOfTheTwoInTheMiddle() {
        assertThat(Median.of(List.of(8.0, 1.0, 4.0, 2.0))).isEqualTo(3);
        assertThat(Median.of(List.of(1.0, 2.0))).isEqualTo(1.5);
    }

    @Test
    void leastAndMostAreTheEndsOfTheQuantiles() {
        List<Double> values = List.of(3.0, 1.0, 2.0);

        assertThat(Median.quantile(values, 0)).isEqualTo(1);
        assertThat(Median.quantile(values, 1)).isEqualTo(3);
    }

    @Test
    void aQuantileOfLatenciesIsTheSmallestThatThatPartDoesNotExceed() {
        long[] hundred = LongStream.rangeClosed(1, 100).toArray();

        assertThat(Latencies.quantile(hundred, 0.5)).isEqualTo(50);
        assertThat(Latencies.quantile(hundred, 0.99)).isEqualTo(99);
        assertThat(Latencies.quantile(hundred, 1)).isEqualTo(100);
        assertThat(Latencies.quantile(new long[] {4, 8}, 0.99)).isEqualTo(8);
        assertThat(Latencies.quantile(new long[] {4}, 0)).isEqualTo(4);
        assertThat(Latencies.quantile(new long[0], 0.5)).isNaN();
    }
}
