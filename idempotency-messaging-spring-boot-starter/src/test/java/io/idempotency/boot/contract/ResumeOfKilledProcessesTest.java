package io.idempotency.boot.contract;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.contract.ResumingJvm.Trips;
import io.idempotency.boot.testing.OtherJvm;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Three instances that are killed again and again, whose clients never come back. */
@Tag("race")
@Tag("full")
class ResumeOfKilledProcessesTest {

    private static final int KILLS = TestSize.pick(2, 100);

    private static final int CALLS = TestSize.pick(100, 10_000);

    private static final Duration TIMEOUT = TestSize.pick(Duration.ofMinutes(2), Duration.ofMinutes(20));

    private static final String[] SETTINGS = {
        "idempotency.outbox.poll-interval=300ms", "idempotency.outbox.max-attempts=100"
    };

    private final AtomicInteger started = new AtomicInteger();

    @TempDir
    private Path logs;

    @Test
    void eachCallThatWasBegunEndsAndNoneTwice() throws Exception {
        try (TestDatabase database = TestDatabase.create();
                ContractApplications applications = new ContractApplications(database)) {
            JdbcTemplate jdbc = database.jdbc();
            jdbc.execute(Trips.TABLES);
            // Creates the tables before the other instances start.
            ContractApplication survivor = applications.start(List.of(Trips.class), SETTINGS);
            List<Long> interruptedByKill = killWhileTheyWork(database);
            assertThat(interruptedByKill.stream().filter(interrupted -> interrupted > 0))
                    .as("kills of working instances")
                    .hasSizeGreaterThanOrEqualTo(KILLS);

            await().atMost(TIMEOUT)
                    .until(() -> count(jdbc, "idempotency.idempotency_request where status <> 'succeeded'") == 0);

            long begun = count(jdbc, "idempotency.idempotency_request");
            assertThat(begun).isGreaterThanOrEqualTo(CALLS);
            assertThat(count(jdbc, "idempotency.idempotency_request where attempt_count > 1"))
                    .isGreaterThanOrEqualTo(KILLS);
            assertThat(count(jdbc, "trip_effect")).isEqualTo(2 * begun);
            assertThat(count(jdbc, "(select distinct trip, step from trip_effect) as effects"))
                    .isEqualTo(2 * begun);
            assertThat(count(jdbc, "(select distinct trip, step from provider_call) as calls"))
                    .isEqualTo(2 * begun);
            assertThat(count(jdbc, "(select distinct trip, step, downstream_key from provider_call) as keys"))
                    .isEqualTo(2 * begun);
            assertThatLateClientsGetTheAnswers(survivor, jdbc);
        }
    }

    /** Returns how many calls each kill has interrupted. */
    private List<Long> killWhileTheyWork(TestDatabase database) throws Exception {
        JdbcTemplate jdbc = database.jdbc();
        List<Long> interrupted = new ArrayList<>();
        List<Instance> instances = new ArrayList<>();
        try {
            Collections.addAll(instances, start(database), start(database), start(database));
            for (int kill = 1; kill <= KILLS; kill++) {
                long enough = Math.round((double) CALLS * kill / KILLS);
                Instance victim = instances.remove(0);
                await().atMost(TIMEOUT)
                        .until(() ->
                                count(jdbc, "idempotency.idempotency_request") >= enough && running(jdbc, victim) > 0);
                interrupted.add(kill(jdbc, victim));
                instances.add(start(database));
            }
            for (Instance last : instances) {
                await().atMost(TIMEOUT).until(() -> running(jdbc, last) > 0);
                interrupted.add(kill(jdbc, last));
            }
        } finally {
            instances.forEach(instance -> instance.process().destroyForcibly());
        }
        return interrupted;
    }

    private static long kill(JdbcTemplate jdbc, Instance victim) {
        victim.process().destroyForcibly().onExit().join();
        // The server may still be committing what the process has sent.
        await().atMost(TIMEOUT)
                .until(() -> count(
                                jdbc,
                                "pg_stat_activity where application_name = '" + victim.name()
                                        + "' and datname is not null")
                        == 0);
        return running(jdbc, victim);
    }

    private static long running(JdbcTemplate jdbc, Instance instance) {
        return count(
                jdbc,
                "idempotency.idempotency_request where status = 'processing' and claimed_by like '" + instance.name()
                        + " %'");
    }

    private static void assertThatLateClientsGetTheAnswers(ContractApplication application, JdbcTemplate jdbc) {
        Trips trips = application.bean(Trips.class);
        jdbc.queryForList("select idempotency_key, (steps -> 0 ->> 'response')::json #>> '{}' as reserved"
                        + " from idempotency.idempotency_request where attempt_count > 1 limit 100")
                .forEach(row -> assertThat(trips.book((String) row.get("idempotency_key")))
                        .isEqualTo(row.get("reserved")));
    }

    private static long count(JdbcTemplate jdbc, String rows) {
        return jdbc.queryForObject("select count(*) from " + rows, Long.class);
    }

    private Instance start(TestDatabase database) throws IOException {
        String name = "instance-" + started.incrementAndGet();
        List<String> properties = new ArrayList<>(List.of(SETTINGS));
        properties.add("spring.application.name=" + name);
        properties.add("idempotency.application=trips");
        properties.add("spring.datasource.hikari.maximum-pool-size=12");
        properties.add("spring.datasource.hikari.data-source-properties.ApplicationName=" + name);
        return new Instance(
                name,
                OtherJvm.of(database, ResumingJvm.class, properties)
                        .redirectOutput(logs.resolve(name + ".log").toFile())
                        .start());
    }

    private record Instance(String name, Process process) {}
}
