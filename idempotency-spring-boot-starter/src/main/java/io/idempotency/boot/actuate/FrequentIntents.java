package io.idempotency.boot.actuate;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

import io.idempotency.Intent;

/**
 * Finds what is met most often among any number of intents, in bounded memory: the Frequent algorithm of Misra and Gries,
 * which takes the same number off every counter when there are too many. So each count is a lower bound, too low by at most
 * one for each {@value #CAPACITY} intents that were counted, and what is met rarely makes room. Counting what is known takes
 * no lock; one thread at a time makes room, and no other waits for it.
 */
final class FrequentIntents {

    /** How many intents are left when room was made. */
    static final int CAPACITY = 2_000;

    /** Room is made when there are more than this. */
    private static final int FULL = 2 * CAPACITY;

    /** While one thread makes room, others add no more than this. */
    static final int MAX_SIZE = 2 * FULL;

    private final ConcurrentHashMap<Intent, Hits> hits = new ConcurrentHashMap<>();

    private final ReentrantLock makingRoom = new ReentrantLock();

    private final Clock clock;

    FrequentIntents(Clock clock) {
        this.clock = clock;
    }

    void count(Intent intent) {
        Hits known = hits.get(intent);
        if (known == null) {
            known = add(intent);
        }
        known.count.increment();
        known.last = clock.millis();
    }

    private Hits add(Intent intent) {
        long size = hits.mappingCount();
        if (size >= FULL && makingRoom.tryLock()) {
            try {
                makeRoom();
            } finally {
                makingRoom.unlock();
            }
        } else if (size >= MAX_SIZE) {
            return new Hits();
        }
        return hits.computeIfAbsent(intent, first -> new Hits());
    }

    /** What is counted meanwhile may be lost with an intent that goes. */
    private void makeRoom() {
        List<Long> counts = new ArrayList<>();
        hits.values().forEach(known -> counts.add(known.count.sum()));
        if (counts.size() < FULL) {
            return;
        }
        counts.sort(Collections.reverseOrder());
        long taken = counts.get(CAPACITY);
        hits.values().removeIf(known -> {
            known.count.add(-taken);
            return known.count.sum() <= 0;
        });
    }

    int size() {
        return hits.size();
    }

    /** The most frequent first. */
    List<Frequent> top(int limit, Predicate<Intent> wanted) {
        return hits.entrySet().stream()
                .filter(entry -> wanted.test(entry.getKey()))
                .map(entry -> new Frequent(
                        entry.getKey(), entry.getValue().count.sum(), Instant.ofEpochMilli(entry.getValue().last)))
                .filter(found -> found.count() > 0)
                .sorted(Comparator.comparingLong(Frequent::count).reversed())
                .limit(limit)
                .toList();
    }

    /**
     * An intent that was met often.
     *
     * @param intent the intent
     * @param count how often at least
     * @param last when it was met last
     */
    record Frequent(Intent intent, long count, Instant last) {}

    private static final class Hits {

        private final LongAdder count = new LongAdder();

        private volatile long last;
    }
}
