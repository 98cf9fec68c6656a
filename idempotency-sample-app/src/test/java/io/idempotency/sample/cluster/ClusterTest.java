package io.idempotency.sample.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.sample.cluster.FinalState.Balance;
import io.idempotency.test.CitusCluster;
import io.idempotency.test.TestSize;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three instances on one database, clients that never rest, and somebody who kills and pauses instances, terminates
 * backends and crashes the database. Whatever clients were told in between is true in the end.
 */
@Tag("race")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "There are no signals to pause a process.")
@Tag("full")
class ClusterTest {

    private static final int INSTANCES = 3;

    private static final int CLIENTS = 12;

    /** Opened by clients; others wait where one is held by an instance that stands still. */
    private static final int ACCOUNTS = 8;

    private static final Duration DURATION = TestSize.pick(Duration.ofSeconds(8), Duration.ofMinutes(10));

    private static final int FAULTS = TestSize.pick(4, 50);

    private static final Duration LONGEST_CALM = TestSize.pick(Duration.ofSeconds(1), Duration.ofSeconds(6));

    private static final Duration BETWEEN_REBUILDS = TestSize.pick(Duration.ofSeconds(2), Duration.ofSeconds(20));

    private static final Duration DRAIN = TestSize.pick(Duration.ofMinutes(1), Duration.ofMinutes(10));

    @TempDir
    private Path directory;

    private final List<SampleInstance> instances = new ArrayList<>();

    @Test
    void whatClientsWereToldIsTrueWhateverBreaks() throws Exception {
        Path results = Files.createDirectories(Path.of("target", "cluster"));
        try (PostgresServer server = PostgresServer.start(directory.resolve("data"))) {
            run(server, results);
        }
    }

    /** A recovery passes over a worker that is down; the next one finds it. */
    @Test
    @Tag("citus")
    @EnabledIfEnvironmentVariable(
            named = CitusCluster.VARIABLE,
            matches = ".+",
            disabledReason = "It names no coordinator of a Citus cluster.")
    @EnabledIfEnvironmentVariable(
            named = CitusServer.PROGRAM_VARIABLE,
            matches = ".+",
            disabledReason = "It names no program that kills and starts the nodes of the Citus cluster.")
    void itIsTrueOnACitusCluster() throws Exception {
        Path results = Files.createDirectories(Path.of("target", "cluster-on-citus"));
        try (CitusServer server = new CitusServer(results)) {
            run(server, results);

            // In the short run luck decides whether a worker dies between the two phases of a commit.
            assertThat(server.leftBehind()).isGreaterThanOrEqualTo(TestSize.pick(0, 1));
            assertThat(server.longestLock())
                    .isLessThan(server.recoveryInterval().multipliedBy(2));
        }
    }

    private void run(ClusterServer server, Path results) throws Exception {
        long seed = Long.getLong("idempotency.test.seed", System.nanoTime());
        try (History history = new History(results.resolve("history.jsonl"))) {
            server.prepare(results);
            SampleTables tables = new SampleTables(new JdbcTemplate(server.dataSource()));
            startInstances(server, results);
            try (WebhookSender webhooks = new WebhookSender(instances, seed);
                    LoadGenerator load = new LoadGenerator(instances, history, webhooks, seed);
                    Rebuilder rebuilder = new Rebuilder(instances, seed);
                    Killer killer = new Killer(server, instances, seed)) {
                load.openAccounts(ACCOUNTS);
                load.start(CLIENTS);
                webhooks.start();
                rebuilder.start(BETWEEN_REBUILDS);
                killer.run(DURATION, FAULTS, LONGEST_CALM);
                // On a slow machine the clients have not come to everything yet.
                await().atMost(DRAIN).until(() -> isEverythingTried(history.attempts(), webhooks.deliveries()));
                load.stop();
                webhooks.stop();
                rebuilder.stop();
                killer.awaitRepairs();
                server.awaitRecovery();
                int unanswered = load.unanswered().size();
                load.repeatUnanswered(CLIENTS);
                await().atMost(DRAIN).until(() -> tables.pendingMessages() == 0);

                List<Attempt> attempts = history.attempts();
                List<Delivery> deliveries = webhooks.deliveries();
                FinalState state = tables.read(shown(load.accountIds()));
                Figures figures = new Figures(seed, attempts, deliveries, killer.faults(), state);
                figures.add("leases taken over", takeOvers());
                figures.add("instances paused until a lease was taken over", killer.overtaken());
                figures.add("rebuilds of projections under load", rebuilder.ended());
                figures.add("commands that were answered only when all was mended", unanswered);
                server.addTo(figures);
                Files.writeString(results.resolve("figures.txt"), figures.toString());

                assertThat(Checker.check(attempts, deliveries, state))
                        .as("%s", figures)
                        .isEmpty();
                rebuilder.rebuildAll();
                assertThat(Checker.check(attempts, deliveries, tables.read(shown(load.accountIds()))))
                        .as("after one more rebuild: %s", figures)
                        .isEmpty();
                assertThat(load.unanswered()).as("%s", figures).isEmpty();
                assertThatItWasHard(figures, attempts, killer.faults(), server.faults());
                assertThatLeasesWereTakenOver(figures, killer.overtaken());
                assertThat(Checker.unrecordedFailures(attempts, state))
                        .as("%s", figures)
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

    private long takeOvers() throws IOException {
        long takeOvers = 0;
        for (SampleInstance instance : instances) {
            takeOvers += instance.takeOvers();
        }
        return takeOvers;
    }

    /** Whichever instance is asked. */
    private List<Balance> shown(List<String> accountIds) throws IOException, InterruptedException {
        List<Balance> shown = new ArrayList<>();
        InstanceClient client = new InstanceClient();
        for (SampleInstance instance : instances) {
            for (String accountId : accountIds) {
                String body = client.exchange(instance, url -> SampleApi.account(url, accountId, DRAIN))
                        .body();
                shown.add(SampleApi.balance(body));
            }
        }
        return shown;
    }

    private static boolean isEverythingTried(List<Attempt> attempts, List<Delivery> deliveries) {
        return attempts.stream().anyMatch(Attempt::replayed)
                && attempts.stream()
                        .filter(attempt -> attempt.outcome().isAcknowledged())
                        .map(attempt -> attempt.command().operation())
                        .collect(toSet())
                        .containsAll(EnumSet.allOf(Operation.class))
                && deliveries.stream()
                        .filter(delivery -> delivery.outcome().isAcknowledged())
                        .map(delivery -> delivery.event().type())
                        .collect(toSet())
                        .containsAll(Set.of(InvoiceEvent.FINALIZED, InvoiceEvent.PAID));
    }

    private static void assertThatItWasHard(
            Figures figures, List<Attempt> attempts, List<Fault> faults, Set<Fault.Kind> kinds) {
        assertThat(faults).as("%s", figures).hasSizeGreaterThanOrEqualTo(FAULTS);
        assertThat(faults.stream().filter(Fault::struckWork).map(Fault::kind))
                .as("%s", figures)
                .containsAll(kinds);
        assertThat(attempts.stream().map(attempt -> attempt.outcome().kind()))
                .as("%s", figures)
                .contains(Outcome.Kind.UNKNOWN);
    }

    /** In a short run all clients of the few leases may have given up. */
    private void assertThatLeasesWereTakenOver(Figures figures, int overtaken) throws IOException {
        if (TestSize.current() == TestSize.LONG) {
            assertThat(overtaken).as("%s", figures).isPositive();
            assertThat(takeOvers()).as("%s", figures).isPositive();
        }
    }
}
