package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.Outcome;
import io.idempotency.boot.contract.SecondJvm.Work;
import io.idempotency.boot.contract.Trips.Step;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Processes are killed while many calls with steps are in flight. Each of the calls stands still at a point then: at every point
 * one that the process has begun, and somewhere one that the process before has begun, which has come to the same or a later point.
 * So most calls are killed twice. In the short size 2 kills interrupt 56 calls, in the long one 14 kills 500 calls.
 */
@ContractTest
@Tag("full")
class StepsOfKilledProcessTest {

    private static final int KILLS = TestSize.pick(2, 14);

    private static final int INTERRUPTED_CALLS = TestSize.pick(56, 500);

    private static final int COMPLETED = Trips.POINTS.indexOf(Trips.COMPLETED);

    private final ContractApplications applications;

    private final ContractApplication application;

    private final Trips trips;

    private final JdbcTemplate jdbc;

    /** The indexes of the points where each of the trips was killed. */
    private final Map<String, List<Integer>> stops = new LinkedHashMap<>();

    private final Map<String, String> answersOfKilled = new LinkedHashMap<>();

    StepsOfKilledProcessTest(ContractApplications applications) {
        this.applications = applications;
        application = applications.start(List.of(Trips.class));
        trips = application.bean(Trips.class);
        jdbc = applications.database().jdbc();
        Trips.createTable(jdbc);
    }

    @Test
    @Tag("race")
    @Timeout(300)
    void areRunAgainOnlyIfTheyWereNotRecorded() throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            killAt(plan(kill));
        }
        assertThat(stops.values().stream().mapToInt(List::size).sum()).isEqualTo(INTERRUPTED_CALLS);

        stops.forEach((key, killedAt) -> {
            boolean isCompleted = killedAt.contains(COMPLETED);
            application.outcomes().clear();

            List<UUID> answer = trips.travel(key);

            assertThat(trips.travel(key)).isEqualTo(answer);
            assertThat(application.outcomes().all())
                    .containsExactly(isCompleted ? Outcome.REPLAYED : Outcome.RECOVERED, Outcome.REPLAYED);
            assertThat(answersOfKilled.get(key)).isEqualTo(isCompleted ? answer.toString() : null);
            assertThat(application.request(key))
                    .containsEntry("attempt_count", isCompleted ? killedAt.size() : killedAt.size() + 1);
            assertThat(answer)
                    .isEqualTo(Stream.of(Step.values())
                            .map(step -> effectOf(step, key, killedAt))
                            .toList());
        });
    }

    /** Returns those that the last process has begun, and new ones, one for each point. */
    private List<String> plan(int kill) {
        List<String> begun = stops.entrySet().stream()
                .filter(trip -> trip.getValue().size() == 1 && trip.getValue().get(0) < COMPLETED)
                .map(Map.Entry::getKey)
                .toList();
        for (String key : begun) {
            int point = lastStopOf(key);
            stops.get(key).add(point + (kill + point) % (Trips.POINTS.size() - point));
        }
        List<String> planned = new ArrayList<>(begun);
        for (int point = 0; point < Trips.POINTS.size(); point++) {
            String key = "trip-" + kill + "-" + point;
            stops.put(key, new ArrayList<>(List.of(point)));
            planned.add(key);
        }
        return planned;
    }

    private void killAt(List<String> keys) throws Exception {
        List<String> planned = keys.stream()
                .map(key -> Trips.stop(key, Trips.POINTS.get(lastStopOf(key))))
                .toList();
        List<String> reached = new ArrayList<>();
        try (ChildJvm child = ChildJvm.start(applications.database())) {
            child.awaitReady();
            child.send(Work.TRAVEL_AND_STAY.with(planned));
            while (reached.size() < planned.size()) {
                String[] stopAndAnswer = child.awaitRunning().split(" ", 2);
                reached.add(stopAndAnswer[0]);
                if (stopAndAnswer.length > 1) {
                    answersOfKilled.put(Trips.keyOf(stopAndAnswer[0]), stopAndAnswer[1]);
                }
            }
        }
        assertThat(reached).containsExactlyInAnyOrderElementsOf(planned);
        for (String key : keys) {
            assertThat(jdbc.queryForMap(
                            "select status, coalesce(jsonb_array_length(steps), 0) as recorded"
                                    + " from idempotency.idempotency_request where idempotency_key = ?",
                            key))
                    .containsOnly(
                            entry("status", lastStopOf(key) == COMPLETED ? "succeeded" : "processing"),
                            entry("recorded", recordedAt(lastStopOf(key))));
        }
    }

    private int lastStopOf(String key) {
        List<Integer> killedAt = stops.get(key);
        return killedAt.get(killedAt.size() - 1);
    }

    private static int recordedAt(int point) {
        List<String> before = Trips.POINTS.subList(0, point + 1);
        return (int) Stream.of(Step.values())
                .filter(step -> before.contains(step.recorded()))
                .count();
    }

    /** Outside of a transaction it is made once more for each kill between the effect and the record. */
    private UUID effectOf(Step step, String key, List<Integer> killedAt) {
        int done = Trips.POINTS.indexOf(step.done());
        long repeats = step.isInTransaction()
                ? 0
                : killedAt.stream().filter(point -> point == done).count();
        Map<String, Object> effects = jdbc.queryForMap(
                "select count(*) as effects, count(distinct downstream_key) as downstream_keys,"
                        + " (array_agg(id order by number desc))[1] as last"
                        + " from trip_effect where trip = ? and step = ?",
                key,
                step.name());
        assertThat(effects)
                .as("%s of %s", step, key)
                .contains(entry("effects", 1 + repeats), entry("downstream_keys", 1L));
        return (UUID) effects.get("last");
    }
}
