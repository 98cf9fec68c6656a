package io.idempotency.internal.execution;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * How long one call may still wait for others that hold its key, wherever it waits: in this JVM, for a lease or in the
 * database. Time in which the call itself works is not counted.
 */
final class WaitBudget {

    /** Shorter bounds in the database give false answers on a loaded server. */
    static final Duration SHORTEST_WAIT = Duration.ofMillis(50);

    private final Duration total;

    private final long totalNanos;

    private long spentNanos;

    WaitBudget(Duration total) {
        this.total = total;
        this.totalNanos = total.toNanos();
    }

    Duration total() {
        return total;
    }

    Duration spent() {
        return Duration.ofNanos(spentNanos);
    }

    Duration remaining() {
        return isSpent() ? Duration.ZERO : Duration.ofNanos(totalNanos - spentNanos);
    }

    boolean isSpent() {
        return spentNanos >= totalNanos;
    }

    /** For a wait in the database, which has to be asked once even if nothing is left. */
    Duration forDatabase() {
        Duration remaining = remaining();
        Duration shortest = shortest();
        return remaining.compareTo(shortest) < 0 ? shortest : remaining;
    }

    /** What it takes at least to learn whether the key is held. */
    Duration shortest() {
        return total.compareTo(SHORTEST_WAIT) < 0 ? total : SHORTEST_WAIT;
    }

    /** For a wait that the database is asked after, so that something is left for it. */
    Duration beforeDatabase() {
        Duration remaining = remaining().minus(SHORTEST_WAIT);
        return remaining.isNegative() ? Duration.ZERO : remaining;
    }

    /** Runs something that may wait, and counts its time. */
    <T> T spendOn(Supplier<T> wait) {
        long start = System.nanoTime();
        try {
            return wait.get();
        } finally {
            spendSince(start);
        }
    }

    void spendSince(long start) {
        spentNanos += System.nanoTime() - start;
    }

    void spendAll() {
        spentNanos = totalNanos;
    }
}
