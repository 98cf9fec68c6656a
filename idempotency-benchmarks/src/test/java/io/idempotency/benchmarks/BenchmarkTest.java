package io.idempotency.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.benchmarks.harness.Options;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Everything runs, and takes the round trips that it is said to take; not how fast. */
@PostgresTest
@Tag("full")
class BenchmarkTest {

    private final String jdbcUrl;

    BenchmarkTest(TestDatabase database) {
        jdbcUrl = JdbcUrls.withCredentials(database);
    }

    @Test
    void everyCallTakesItsRoundTrips() throws Exception {
        assertThat(roundTrips("new-key"))
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("`plain`", 3.0),
                        Map.entry("`plain-one-message`", 1.0),
                        Map.entry("`hand-written`", 5.0),
                        Map.entry("`floor`", 3.0),
                        Map.entry("`starter`", 5.0),
                        Map.entry("`starter-optimistic`", 3.0),
                        Map.entry("`starter-write`", 1.0),
                        Map.entry("`starter-void`", 4.0),
                        Map.entry("`starter-leased`", 5.0),
                        Map.entry("`outbox-publish`", 4.0)));
    }

    @Test
    void aRepeatTakesOneRoundTripWhereNothingIsCommitted() throws Exception {
        Map<String, Double> repeats = roundTrips("repeated-key");

        assertThat(repeats).containsEntry("`select`", 1.0);
        assertThat(repeats.get("`hand-written`"))
                .as("a key that is new takes more")
                .isBetween(3.0, 4.0);
        assertThat(repeats.get("`starter`")).isBetween(1.0, 2.0);
    }

    @Test
    void aStepTakesTheRoundTripOfAnInsertInAutoCommit() throws Exception {
        assertThat(roundTrips("steps"))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "`leased`", 3.0,
                        "`steps`", 8.0,
                        "`hand-written`", 13.0,
                        "`hand-written-auto-commit`", 8.0));
    }

    @Test
    void aBatchTakesFewRoundTripsForAllOfItsMessages() throws Exception {
        assertThat(roundTrips("inbox-batch"))
                .containsOnlyKeys("`plain`", "`hand-written`", "`starter`")
                .allSatisfy((contender, each) -> assertThat(each).isLessThan(0.1));
    }

    @Test
    void theRelayIsMeasured() throws Exception {
        assertThat(run("relay"))
                .anySatisfy(line -> assertThat(line).startsWith("| handlers, 4 threads | "))
                .anySatisfy(line -> assertThat(line).startsWith("| a sender that does nothing | "));
    }

    private Map<String, Double> roundTrips(String job) throws Exception {
        return run(job).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("\\|", -1))
                .collect(Collectors.toMap(cells -> cells[1].strip(), cells -> Double.parseDouble(cells[9])));
    }

    private List<String> run(String job) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Options options = Options.parse(
                "--quick", "--jdbc-url=" + jdbcUrl, "--rounds=1", "--slot=1ms", "--threads=2", "--jobs=" + job);
        Benchmark.run(options, new PrintStream(printed, true, StandardCharsets.UTF_8));
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
