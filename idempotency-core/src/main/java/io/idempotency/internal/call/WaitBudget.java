package io.idempotency.internal.call;

import java.time.Duration;
import java.util.function.Supplier;

import io.idempotency.DuplicatePolicy;
import io.idempotency.internal.operation.CallOptions;

/**
 * The time that one call may wait for others that hold its key: in this JVM, for a lease and in the database together. The time
 * in which its method runs does not count.
 */
public final class WaitBudget {

    /** On a loaded server, a shorter bound would end statements that wait for nobody. */
    static final Duration SHORTEST_WAIT = Duration.ofMillis(50);

    private final Duration total;

    private final long totalNanos;

    private long spentNanos;

    /** Returns the budget of a call with these options. */
    static WaitBudget of(CallOptions options) {
        return new WaitBudget(options.onDuplicate() == DuplicatePolicy.FAIL ? SHORTEST_WAIT : options.waitTimeout());
    }

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

    /** Returns the bound of a wait in the database, which is long enough for one claim even if the budget is spent. */
    public Duration forDatabase() {
        Duration remaining = remaining();
        Duration shortest = shortest();
        return remaining.compareTo(shortest) < 0 ? shortest : remaining;
    }

    /** Returns the shortest bound of a wait in the database. */
    Duration shortest() {
        return total.compareTo(SHORTEST_WAIT) < 0 ? total : SHORTEST_WAIT;
    }

    /** Returns the bound of a wait in this JVM, which leaves time for the database. */
    Duration beforeDatabase() {
        Duration remaining = remaining().minus(SHORTEST_WAIT);
        return remaining.isNegative() ? Duration.ZERO : remaining;
    }

    /** Runs work that may wait, and counts its time. */
    public <T> T spendOn(Supplier<T> work) {
        long start = System.nanoTime();
        try {
            return work.get();
        } finally {
            spendSince(start);
        }
    }

    public void spendSince(long start) {
        spentNanos += System.nanoTime() - start;
    }

    void spendAll() {
        spentNanos = totalNanos;
    }
}
