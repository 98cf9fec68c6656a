package io.idempotency.internal.call;

import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;

import io.idempotency.Intent;
import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.DueCall;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.IdempotentOperation;

/**
 * A call that this thread makes instead of its caller, under a claim that is committed already. It has the intent and the payload
 * of the call that it resumes, and other calls that its method makes have the same caller.
 */
public final class ResumedCall {

    private static final ThreadLocal<@Nullable ResumedCall> CURRENT = new NamedThreadLocal<>("resumed call");

    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    private final DueCall due;

    private final IdempotentOperation operation;

    private final Lease lease;

    private final ClaimResult claim;

    private final int maxAttempts;

    private final Thread thread = Thread.currentThread();

    private final long leaseEnd;

    private volatile @Nullable Supplier<Duration> remaining;

    private boolean isRunning;

    private boolean hasReachedKey;

    private boolean hasReturned;

    private @Nullable Throwable failure;

    private @Nullable End end;

    /** Creates a call that is not made yet, and that this thread will make. */
    public ResumedCall(DueCall due, IdempotentOperation operation, Lease lease, ClaimResult claim, int maxAttempts) {
        this.due = due;
        this.operation = operation;
        this.lease = lease;
        this.leaseEnd = System.nanoTime() + lease.duration().toNanos();
        this.claim = claim;
        this.maxAttempts = maxAttempts;
    }

    /**
     * Makes the call.
     *
     * @throws Throwable the exception of the call
     */
    public void make(Invocation method) throws Throwable {
        CURRENT.set(this);
        try {
            method.proceed();
        } finally {
            CURRENT.remove();
        }
    }

    /**
     * Returns the call that this thread resumes, if a call of this intent and payload is that one and not one within it; {@code null}
     * otherwise. An interceptor may repeat it, such as one for retries, or make calls of its own.
     */
    static @Nullable ResumedCall enter(Intent intent, Fingerprint fingerprint) {
        ResumedCall current = CURRENT.get();
        if (current == null
                || current.isRunning
                || !current.due.intent().equals(intent)
                || current.due.fingerprint().contradicts(fingerprint)) {
            return null;
        }
        current.isRunning = true;
        current.hasReachedKey = true;
        return current;
    }

    /** Notes who knows the remaining time of the lease, which the method may extend. */
    public void leaseHeld(Supplier<Duration> remainingTime) {
        remaining = remainingTime;
    }

    /** {@return the time until its lease expires, by this JVM's clock; zero if it has expired} */
    public Duration remaining() {
        Supplier<Duration> extended = remaining;
        return extended == null ? Duration.ofNanos(Math.max(0, leaseEnd - System.nanoTime())) : extended.get();
    }

    /** {@return the thread that makes the call} */
    public Thread thread() {
        return thread;
    }

    /** {@return the intent of the call} */
    public Intent intent() {
        return due.intent();
    }

    void leave(boolean returned) {
        isRunning = false;
        hasReturned |= returned;
    }

    /** Returns the caller of the call that this thread resumes; {@code null} if it resumes none. */
    static @Nullable String currentCaller() {
        ResumedCall current = CURRENT.get();
        return current == null ? null : current.due.intent().caller();
    }

    /** {@return whether the call has reached the key, so that its failure is recorded like the failure of any other call} */
    public boolean hasReachedKey() {
        return hasReachedKey;
    }

    DueCall due() {
        return due;
    }

    public UUID token() {
        return lease.token();
    }

    public ClaimResult claim() {
        return claim;
    }

    /** {@return the number of the attempt} */
    public int attempt() {
        return claim.attempt();
    }

    /**
     * Returns the lease of the next attempt. If that does not end either, the one after it has the same pause as after a failure.
     */
    public static Lease nextLease(DueCall due, CallOptions options) {
        Duration duration = options.lease();
        int count = due.resumeCount() + 1;
        // The row must survive the pause.
        Duration longest = options.retention().minus(duration).dividedBy(2);
        Duration pause = min(pauseAfter(count, options), longest);
        return new Lease(
                UUID.randomUUID(), duration, due.arguments(), new Lease.Resumption(count, duration.plus(pause)));
    }

    /** Doubles with each attempt, from twice the lease up to an hour, but no longer than half of the retention of the row. */
    private static Duration pauseAfter(int count, CallOptions options) {
        Duration longest = min(LONGEST_PAUSE, options.retention().dividedBy(2));
        return new Backoff(options.lease().multipliedBy(2), 2, longest, false).after(count);
    }

    /** Decides what follows a failed attempt: another one after a pause, or none if instances have made all. */
    public End endOf(Failure failure) {
        if (failure.isFinal()) {
            return new End(failure, null, false);
        }
        int count = due.resumeCount() + 1;
        if (count >= maxAttempts) {
            return abandoned(count, failure.code() + (failure.message().isEmpty() ? "" : ": " + failure.message()));
        }
        return new End(failure, pauseAfter(count, operation.options()), false);
    }

    /** Returns the end of a call that is not attempted again, and whose effect may exist. */
    public static End abandoned(int count, String reason) {
        String message = "given up after " + count + " attempts to finish it without its caller: " + reason;
        return new End(new Failure(false, "abandoned", message), null, true);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    /** {@return whether the attempt has returned its own response, or the stored one} */
    public boolean hasReturned() {
        return hasReturned;
    }

    /** Notes that the end of a failed attempt is recorded. */
    public void ended(End recorded, Throwable thrown) {
        end = recorded;
        failure = thrown;
    }

    /** {@return the failure of the attempt whose end is recorded; {@code null} if none is} */
    public @Nullable Throwable failure() {
        return failure;
    }

    /** {@return the recorded end of the attempt; {@code null} if it has not failed, or has lost its lease} */
    public @Nullable End end() {
        return end;
    }

    /**
     * The end of a failed attempt.
     *
     * @param pause time until the next attempt; {@code null} if there is none
     * @param isAbandoned whether there is none because all were made
     */
    public record End(Failure failure, @Nullable Duration pause, boolean isAbandoned) {

        /**
         * Records the end.
         *
         * @return {@code false} if the claim of the fence does not hold the key any more
         */
        public boolean record(ClaimStore store, Connection connection, Fence fence) {
            return isAbandoned
                    ? store.abandon(connection, fence, failure)
                    : store.fail(connection, fence, failure, pause);
        }
    }
}
