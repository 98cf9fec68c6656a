package io.idempotency.boot.actuate;

import java.time.Clock;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * How often each outcome was met, since the start and of late.
 *
 * @param <E> the kinds of outcomes
 */
final class OutcomeCounts<E extends Enum<E>> {

    /** Never changed after it was filled, so that threads may share it. */
    private final Map<E, LongAdder> counts;

    private final Set<E> suppressed;

    private final RecentCounts recent;

    OutcomeCounts(Class<E> outcomes, Set<E> suppressed, Clock clock) {
        this.counts = new EnumMap<>(outcomes);
        for (E outcome : outcomes.getEnumConstants()) {
            counts.put(outcome, new LongAdder());
        }
        this.suppressed = suppressed;
        this.recent = new RecentCounts(clock);
    }

    void count(E outcome) {
        LongAdder count = counts.get(outcome);
        if (count != null) {
            count.increment();
        }
        recent.count(suppressed.contains(outcome));
    }

    Counts total() {
        long all = 0;
        long ofSuppressed = 0;
        for (Map.Entry<E, LongAdder> entry : counts.entrySet()) {
            long count = entry.getValue().sum();
            all += count;
            ofSuppressed += suppressed.contains(entry.getKey()) ? count : 0;
        }
        return Counts.of(all, ofSuppressed);
    }

    Counts recent() {
        return recent.sum();
    }

    /** Those that were met, by their tags. */
    Map<String, Long> byTag(Function<E, String> tag) {
        Map<String, Long> met = new LinkedHashMap<>();
        counts.forEach((outcome, adder) -> {
            long count = adder.sum();
            if (count > 0) {
                met.put(tag.apply(outcome), count);
            }
        });
        return met;
    }
}
