package io.idempotency.sample.cluster;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

/** What a run was like. */
final class Figures {

    private final Map<String, Object> table = new LinkedHashMap<>();

    Figures(long seed, List<Attempt> attempts, List<Delivery> deliveries, List<Fault> faults, FinalState state) {
        add("seed", seed);
        add("attempts", attempts.size());
        add("commands", attempts.stream().map(Attempt::command).distinct().count());
        add("replays", attempts.stream().filter(Attempt::replayed).count());
        attempts.stream()
                .map(attempt -> "attempts: " + summary(attempt.outcome()))
                .collect(groupingBy(outcome -> outcome, TreeMap::new, counting()))
                .forEach(this::add);
        add("events of accounts", state.events().size());
        add("failures recorded", state.failures().size());
        add("failures not recorded", Checker.unrecordedFailures(attempts, state).size());
        add("webhooks sent", deliveries.size());
        add("webhooks handled", state.webhooks().size());
        add("payments settled", state.settlements().size());
        faults.stream()
                .map(fault -> "faults: " + fault.kind() + (fault.struckWork() ? " with work on its way" : ""))
                .collect(groupingBy(fault -> fault, TreeMap::new, counting()))
                .forEach(this::add);
    }

    private static String summary(Outcome outcome) {
        String reason = outcome.title() == null ? "" : " " + outcome.title().replaceAll(":.*", "");
        return outcome.kind() + (outcome.status() == 0 ? "" : " " + outcome.status()) + reason;
    }

    static String seconds(Duration duration) {
        return "%.1f s".formatted(duration.toMillis() / 1_000.0);
    }

    void add(String name, Object value) {
        table.put(name, value);
    }

    @Override
    public String toString() {
        return table.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining("\n", "", "\n"));
    }
}
