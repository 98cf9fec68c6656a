package io.idempotency.sample.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a run was like, as a table for the documentation and the details behind it. */
final class Figures {

    private final Map<String, Object> table = new LinkedHashMap<>();

    private final Map<String, Long> met;

    /**
     * Reads everything that clients and senders met.
     *
     * @param attempts of all clients
     * @param deliveries of webhooks
     */
    Figures(long seed, List<Attempt> attempts, List<Delivery> deliveries, FinalState state) {
        Duration duration = duration(attempts);
        long keys = attempts.stream().map(Figures::key).distinct().count();
        table.put("seed", seed);
        table.put("duration", seconds(duration));
        table.put("commands of clients", keys);
        table.put("attempts", attempts.size());
        table.put(
                "acknowledged",
                attempts.stream()
                        .filter(attempt -> attempt.outcome().isAcknowledged())
                        .map(Figures::key)
                        .distinct()
                        .count());
        table.put("attempts that repeated another one", attempts.size() - keys);
        table.put(
                "attempts without an answer",
                count(attempts, attempt -> attempt.outcome().kind().equals(Outcome.Kind.UNKNOWN)));
        table.put("answers that were replays", count(attempts, Attempt::replayed));
        table.put("slowest answer", seconds(slowest(attempts)));
        table.put("attempts a second", attempts.size() / Math.max(1, duration.toSeconds()));
        table.put("events of accounts", state.events().size());
        table.put("messages of the outbox", state.outbox().size());
        table.put("failures recorded", state.failures().size());
        table.put(
                "failures not recorded",
                Checker.unrecordedFailures(attempts, state).size());
        table.put("webhooks sent", deliveries.size());
        table.put("webhooks handled", state.webhooks().size());
        table.put("payments settled", state.settlements().size());
        met = attempts.stream()
                .map(Attempt::outcome)
                .collect(Collectors.groupingBy(Figures::summary, TreeMap::new, Collectors.counting()));
    }

    private static String key(Attempt attempt) {
        return attempt.command().key();
    }

    private static <T> long count(List<T> all, Predicate<T> counted) {
        return all.stream().filter(counted).count();
    }

    private static Duration duration(List<Attempt> attempts) {
        Instant first = attempts.stream()
                .map(Attempt::start)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        Instant last = attempts.stream()
                .map(Attempt::end)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        return Duration.between(first, last);
    }

    private static Duration slowest(List<Attempt> attempts) {
        return attempts.stream()
                .filter(attempt -> attempt.outcome().kind() != Outcome.Kind.UNKNOWN)
                .map(attempt -> Duration.between(attempt.start(), attempt.end()))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    static String seconds(Duration duration) {
        return "%.1f s".formatted(duration.toMillis() / 1_000.0);
    }

    private static String summary(Outcome outcome) {
        String reason = outcome.title() == null ? "" : " " + outcome.title().replaceAll(":.*", "");
        return outcome.kind() + (outcome.status() == 0 ? "" : " " + outcome.status()) + reason;
    }

    void addFaults(List<Fault> faults) {
        table.put("faults", faults.size());
        Map<Fault.Kind, List<Fault>> byKind =
                faults.stream().collect(Collectors.groupingBy(Fault::kind, TreeMap::new, Collectors.toList()));
        byKind.forEach((kind, ofKind) -> table.put(
                "faults: " + kind.inWords(),
                "%d, %d of them with work on its way".formatted(ofKind.size(), count(ofKind, Fault::struckWork))));
    }

    void add(String name, Object value) {
        table.put(name, value);
    }

    @Override
    public String toString() {
        Function<Map.Entry<String, ?>, String> row = entry -> "| " + entry.getKey() + " | " + entry.getValue() + " |";
        return Stream.of(
                        Stream.of("| | |", "|---|---|"),
                        table.entrySet().stream().map(row),
                        Stream.of("", "| an attempt met | times |", "|---|---|"),
                        met.entrySet().stream().map(row))
                .flatMap(lines -> lines)
                .collect(Collectors.joining("\n", "", "\n"));
    }
}
