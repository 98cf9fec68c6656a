package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.idempotency.benchmarks.Results.Group;
import io.idempotency.benchmarks.Results.Line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class ResultsTest {

    private static final Group NEW_KEY = new Group("new-key", "default");

    private static final Line PLAIN = new Line(NEW_KEY, "plain", 4);

    private static final Line STARTER = new Line(NEW_KEY, "starter", 4);

    private final Results results = new Results();

    @Test
    void theCsvHasTheMediansOfAllRounds() {
        twoContenders();

        assertThat(ResultsCsv.medians(results))
                .containsExactly(
                        "job,variant,contender,threads,ops_per_s,ratio,p50_us,p99_us,wal_bytes,round_trips,dead_tuples",
                        "new-key,default,plain,4,200.0,1.000,10.0,20.0,300.0,3.000,1.000",
                        "new-key,default,starter,4,100.0,0.600,11.5,21.0,1000.0,5.000,");
    }

    @Test
    void theRatioIsThatWithinTheRounds() {
        twoContenders();

        assertThat(results.ratio(STARTER)).isEqualTo(0.6, within(1e-9));
        assertThat(results.ratio(STARTER, "nobody")).isNaN();
    }

    @Test
    void theTableHasTheRangeAndNotes() {
        twoContenders();

        List<String> table = ResultsTable.of(results, Map.of("plain", "repeats"));

        assertThat(table)
                .contains("## new-key")
                .anySatisfy(row -> assertThat(row).startsWith("| plain (repeats) | 4 | 200 | 100 to 1,000 | 1.00 |"));
    }

    @Test
    void theChartIsWrittenWithItsLabelsEscaped() {
        BarChart chart = new BarChart("a & b", "ops/s");
        chart.add("<none>", 5, 4, 6);

        assertThat(chart.svg())
                .startsWith("<svg ")
                .contains("a &amp; b", "&lt;none&gt;")
                .endsWith("</svg>\n");
    }

    @Test
    void aVariantTellsWhatIsNotAsUsual() {
        Variant usual = Variant.of(Duration.ZERO);

        assertThat(usual.name()).isEqualTo("default");
        assertThat(usual.withRows(0).name()).isEqualTo("rows=0");
        assertThat(Variant.of(Duration.ofNanos(250_000))
                        .withResponseBytes(2_048)
                        .name())
                .isEqualTo("link=0.25ms response=2048");
        assertThat(Variant.of(Duration.ofMillis(1)).name()).isEqualTo("link=1ms");
        assertThat(usual.withBatchedEffects().name()).isEqualTo("effects=batched");
        assertThat(usual.withRandomIds().name()).isEqualTo("ids=random");
    }

    private void twoContenders() {
        results.base(NEW_KEY, "plain");
        results.deadTuples(NEW_KEY, "plain", 1);
        double[] plain = {100, 200, 1_000};
        double[] starter = {60, 100, 800};
        for (int round = 0; round < plain.length; round++) {
            results.add(PLAIN, new Measurement(plain[round], 10, 20, 300, 3));
            results.add(STARTER, new Measurement(starter[round], 11.5, 21, 1_000, 5));
        }
    }
}
