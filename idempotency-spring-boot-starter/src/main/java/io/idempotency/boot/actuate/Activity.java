package io.idempotency.boot.actuate;

import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.boot.actuate.FrequentIntents.Frequent;

/**
 * What became of the calls of each scope, or of the deliveries to each consumer, in this process. Replays write nothing to
 * the database, so it is only here that they can be seen one by one.
 *
 * @param <E> the kinds of outcomes
 */
final class Activity<E extends Enum<E>> {

    /** Of more names, which an application makes up only by mistake, the rest is counted together. */
    static final int MAX_NAMES = 1_000;

    static final String OTHER_NAMES = "(others)";

    private final ConcurrentHashMap<String, OutcomeCounts<E>> byName = new ConcurrentHashMap<>();

    private final FrequentIntents repeats;

    private final Class<E> outcomes;

    private final Set<E> suppressed;

    private final Set<E> repeated;

    private final Clock clock;

    /**
     * Begins to count.
     *
     * @param suppressed outcomes of intents that had been settled before
     * @param repeated outcomes by which an intent may become one of the hottest
     */
    Activity(Class<E> outcomes, Set<E> suppressed, Set<E> repeated, Clock clock) {
        this.outcomes = outcomes;
        this.suppressed = suppressed;
        this.repeated = repeated;
        this.clock = clock;
        this.repeats = new FrequentIntents(clock);
    }

    void count(String name, E outcome) {
        OutcomeCounts<E> known = byName.get(name);
        if (known == null) {
            String counted = byName.mappingCount() < MAX_NAMES ? name : OTHER_NAMES;
            known = byName.computeIfAbsent(counted, added -> new OutcomeCounts<>(outcomes, suppressed, clock));
        }
        known.count(outcome);
    }

    boolean isRepeat(E outcome) {
        return repeated.contains(outcome);
    }

    void countRepeat(@Nullable Intent intent) {
        if (intent != null) {
            repeats.count(intent);
        }
    }

    /** The names with the most of it, each with its hottest intents. */
    List<Named<E>> busiest(int limit, int hottest) {
        // Looked at once, because what is compared must not change while it is sorted.
        Map<String, Long> calls = new HashMap<>();
        byName.forEach((name, counts) -> calls.put(name, counts.total().all()));
        return calls.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(limit)
                .map(Map.Entry::getKey)
                .map(name -> new Named<>(
                        name,
                        Objects.requireNonNull(byName.get(name)),
                        repeats.top(hottest, intent -> intent.scope().equals(name))))
                .toList();
    }

    record Named<E extends Enum<E>>(String name, OutcomeCounts<E> counts, List<Frequent> hottest) {}
}
