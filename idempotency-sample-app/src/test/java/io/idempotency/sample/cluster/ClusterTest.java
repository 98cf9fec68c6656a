package io.idempotency.sample.cluster;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.sample.cluster.FinalState.Balance;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three instances on one database, clients that never rest, and somebody who kills and pauses instances, terminates
 * backends and crashes the database. Whatever clients were told in between is true in the end.
 */
@Tag("race")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "There are no signals to pause a process.")
class ClusterTest {

    private static final int INSTANCES = 3;

    private static final int CLIENTS = 12;

    private static final Duration DURATION = TestSize.pick(Duration.ofSeconds(8), Duration.ofMinutes(10));

    private static final int FAULTS = TestSize.pick(4, 50);

    private static final Duration LONGEST_CALM = TestSize.pick(Duration.ofSeconds(1), Duration.ofSeconds(6));

    private static final Duration DRAIN = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    private final List<SampleInstance> instances = new ArrayList<>();

    @Test
    void whatClientsWereToldIsTrueWhateverBreaks() throws Exception {
        long seed = Long.getLong("idempotency.test.seed", System.nanoTime());
        Path results = Files.createDirectories(Path.of("target", "cluster"));
        try (ClusterServer server = ClusterServer.start(directory.resolve("data"));
                History history = new History(results.resolve("history.jsonl"))) {
            SampleTables tables = new SampleTables(new JdbcTemplate(server.dataSource()));
            startInstances(server, results);
            try (LoadGenerator load = new LoadGenerator(instances, history, seed);
                    Killer killer = new Killer(server, instances, seed)) {
                load.start(CLIENTS);
                killer.run(DURATION, FAULTS, LONGEST_CALM);
                load.stop();
                await().atMost(DRAIN).until(() -> tables.pendingMessages() == 0);

                FinalState state = tables.read(shown());
                List<Attempt> attempts = history.attempts();
                String figures = figures(seed, attempts, killer.faults(), state);
                Files.writeString(results.resolve("figures.txt"), figures);
                assertThat(Checker.check(attempts, state)).as(figures).isEmpty();
                assertThatItWasHard(figures, attempts, killer.faults());
                assertThat(Checker.unrecordedFailures(attempts, state))
                        .as(figures)
                        .hasSizeLessThanOrEqualTo(CLIENTS * killer.faults().size());
            }
        } finally {
            instances.forEach(SampleInstance::close);
        }
    }

    private void startInstances(ClusterServer server, Path results) throws IOException {
        for (int i = 0; i < INSTANCES; i++) {
            SampleInstance instance = new SampleInstance("instance-" + i, server, results);
            instances.add(instance);
            instance.start();
        }
        instances.forEach(SampleInstance::awaitReady);
    }

    private List<Balance> shown() throws IOException, InterruptedException {
        List<Balance> shown = new ArrayList<>();
        HttpClient http = HttpClient.newHttpClient();
        for (String accountId : List.of("alice", "bob")) {
            String body = http.send(
                            SampleApi.account(instances.get(0).url(), accountId, DRAIN), BodyHandlers.ofString())
                    .body();
            shown.add(SampleApi.balance(body));
        }
        return shown;
    }

    private static void assertThatItWasHard(String figures, List<Attempt> attempts, List<Fault> faults) {
        assertThat(faults).as(figures).hasSizeGreaterThanOrEqualTo(FAULTS);
        assertThat(faults.stream().filter(Fault::struckWork).map(Fault::kind))
                .as(figures)
                .containsAll(EnumSet.allOf(Fault.Kind.class));
        assertThat(attempts.stream()
                        .filter(attempt -> attempt.outcome().isAcknowledged())
                        .map(attempt -> attempt.command().operation()))
                .as(figures)
                .containsAll(EnumSet.allOf(Operation.class));
        assertThat(attempts.stream().map(attempt -> attempt.outcome().kind()))
                .as(figures)
                .contains(Outcome.Kind.UNKNOWN);
    }

    private static String figures(long seed, List<Attempt> attempts, List<Fault> faults, FinalState state) {
        Map<String, Long> met = attempts.stream()
                .map(Attempt::outcome)
                .collect(Collectors.groupingBy(ClusterTest::summary, TreeMap::new, Collectors.counting()));
        Map<Fault.Kind, Long> struck =
                faults.stream().collect(Collectors.groupingBy(Fault::kind, TreeMap::new, Collectors.counting()));
        long keys = attempts.stream()
                .map(attempt -> attempt.command().key())
                .distinct()
                .count();
        return Stream.of(
                        "seed " + seed,
                        "attempts " + attempts.size() + " with " + keys + " keys: " + met,
                        "faults " + faults.size() + ", "
                                + faults.stream().filter(Fault::struckWork).count() + " with work on its way: "
                                + struck,
                        "events " + state.events().size() + ", recorded failures "
                                + state.failures().size() + ", failures not recorded "
                                + Checker.unrecordedFailures(attempts, state).size() + ", messages "
                                + state.outbox().size())
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String summary(Outcome outcome) {
        String reason = outcome.title() == null ? "" : " " + outcome.title().replaceAll(":.*", "");
        return outcome.kind() + (outcome.status() == 0 ? "" : " " + outcome.status()) + reason;
    }
}
