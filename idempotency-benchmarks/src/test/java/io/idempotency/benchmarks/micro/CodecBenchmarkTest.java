package io.idempotency.benchmarks.micro;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class CodecBenchmarkTest {

    private final CodecBenchmark benchmark = new CodecBenchmark();

    @ParameterizedTest
    @CsvSource({"3, 175", "100, 5125"})
    void whatIsMeasuredDoesItsWork(int lines, int bytes) {
        benchmark.lines = lines;
        benchmark.makeOrder();

        assertThat(benchmark.writeResponse())
                .isEqualTo(benchmark.writeAndVerifyResponse())
                .asString()
                .hasSizeBetween(bytes - 25, bytes + 25);
        assertThat(benchmark.readResponse()).hasFieldOrPropertyWithValue("number", 4_711);
        assertThat(benchmark.fingerprint()).isEqualTo(benchmark.fingerprint());
    }
}
