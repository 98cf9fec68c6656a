package io.idempotency.internal.call.wait;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.idempotency.DuplicatePolicy;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.operation.CallOptions;

/**
 * The time that one call may wait for others that hold its key: in this JVM, for a lease and in the database together. The time
 * in which its method runs does not count. Of all calls of this JVM, as many may wait at the same time as there are places.
 */
public final class WaitBudget {

    /** On a loaded server, a shorter bound would end statements that wait for nobody. */
    public static final Duration SHORTEST_WAIT = Duration.ofMillis(50);

    private final Duration total;

    private final long totalNanos;

    private final Semaphore places;

    private long spentNanos;

    private boolean hasPlace;

    private boolean isCutShort;

    /** Returns the budget of a call. */
    public static WaitBudget of(CallOptions.Waiting waiting, Semaphore places) {
        return new WaitBudget(
                waiting.onDuplicate() == DuplicatePolicy.FAIL ? SHORTEST_WAIT : waiting.timeout(), places);
    }

    /**
     * Creates a budget.
     *
     * @param places the places of all calls that wait, given in the order of arrival
     */
    public WaitBudget(Duration total, Semaphore places) {
        this.places = places;
        this.total = total;
        this.totalNanos = total.toNanos();
    }

    public Duration total() {
        return total;
    }

    public Duration spent() {
        return Duration.ofNanos(spentNanos);
    }

    public Duration remaining() {
        return isSpent() ? Duration.ZERO : Duration.ofNanos(totalNanos - spentNanos);
    }

    public boolean isSpent() {
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

    public void spendAll() {
        spentNanos = totalNanos;
    }

    /**
     * Takes a place for a call that has to wait, unless it has one. Claims hold places that wait for nobody, so that one may become
     * free in as short a time as a claim without a place has. Returns {@code false} if none does.
     */
    public boolean beginWaiting() {
        hasPlace = hasPlace || takeFreePlace() || awaitPlace();
        return hasPlace;
    }

    public void endWaiting() {
        if (hasPlace) {
            hasPlace = false;
            places.release();
        }
    }

    /**
     * Sends a claim, which holds a place until it is answered, because nobody knows before whether it waits. If none is free, it waits
     * only as briefly as one with {@code onDuplicate = FAIL}.
     */
    public <T extends @Nullable Object> T sendClaim(ClaimRequest request, Function<ClaimRequest, T> claim) {
        boolean needsPlace = !hasPlace && request.waitLimit().compareTo(shortest()) > 0;
        boolean takesPlace = needsPlace && takeFreePlace();
        isCutShort = needsPlace && !takesPlace;
        try {
            return claim.apply(isCutShort ? request.withWaitLimit(shortest()) : request);
        } finally {
            if (takesPlace) {
                places.release();
            }
        }
    }

    /** Returns whether the last claim had less time than the budget, because as many calls waited as may. */
    public boolean isCutShort() {
        return isCutShort;
    }

    /** Does not overtake calls that have to wait. */
    private boolean takeFreePlace() {
        return !places.hasQueuedThreads() && places.tryAcquire();
    }

    private boolean awaitPlace() {
        try {
            return places.tryAcquire(shortest().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
