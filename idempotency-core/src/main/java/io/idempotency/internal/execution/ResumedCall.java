package io.idempotency.internal.execution;

import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;

import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.DueCall;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.operation.IdempotentOperation;

/**
 * A call that this thread makes instead of its caller, under a claim that is committed already. It has the intent and the payload
 * of the call that it resumes, and other calls that its method makes have the same caller.
 */
public final class ResumedCall {

    private static final ThreadLocal<@Nullable ResumedCall> CURRENT = new NamedThreadLocal<>("resumed call");

    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    private static final int MAX_DOUBLINGS = 20;

    private final DueCall due;

    private final IdempotentOperation operation;

    private final UUID token;

    private final ClaimResult claim;

    private final int maxAttempts;

    private final CallDefaults defaults;

    private boolean hasReachedKey;

    private boolean isRunning;

    private boolean hasReturned;

    private @Nullable Throwable failure;

    private @Nullable End end;

    /**
     * Creates a call that is not made yet.
     *
     * @param due the call to resume
     * @param operation the operation of its method
     * @param token the token of the claim
     * @param claim the claim, which is committed
     * @param maxAttempts the number of the last attempt that is made
     * @param defaults the settings that the operation leaves open
     */
    public ResumedCall(
            DueCall due,
            IdempotentOperation operation,
            UUID token,
            ClaimResult claim,
            int maxAttempts,
            CallDefaults defaults) {
        this.due = due;
        this.operation = operation;
        this.token = token;
        this.claim = claim;
        this.maxAttempts = maxAttempts;
        this.defaults = defaults;
    }

    /**
     * Makes the call.
     *
     * @param method calls the method through its proxy
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
     * Returns the call that this thread resumes, if a call of this operation is that one and not one within it; {@code null} otherwise.
     * An interceptor may repeat it, such as one for retries.
     */
    static @Nullable ResumedCall enter(IdempotentOperation operation) {
        ResumedCall current = CURRENT.get();
        if (current == null
                || current.isRunning
                || !current.due.intent().scope().equals(operation.scope())) {
            return null;
        }
        current.isRunning = true;
        current.hasReachedKey = true;
        return current;
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

    /** {@return whether the call has reached the key, so that its failure is recorded as that of any other call} */
    public boolean hasReachedKey() {
        return hasReachedKey;
    }

    DueCall due() {
        return due;
    }

    UUID token() {
        return token;
    }

    ClaimResult claim() {
        return claim;
    }

    /**
     * Decides what follows a failed attempt: another one after a pause that doubles with each attempt, from the length of the lease up
     * to an hour, but no longer than half of the retention, which the row must survive.
     *
     * @param failure the failure
     * @return what is to be recorded
     */
    public End endOf(Failure failure) {
        if (failure.isFinal()) {
            return new End(failure, null, false);
        }
        if (claim.attempt() >= maxAttempts) {
            return abandoned(
                    claim.attempt(), failure.code() + (failure.message().isEmpty() ? "" : ": " + failure.message()));
        }
        Duration doubled =
                defaults.leaseOf(operation.options()).multipliedBy(1L << Math.min(claim.attempt() - 1, MAX_DOUBLINGS));
        Duration longest =
                min(LONGEST_PAUSE, defaults.retentionOf(operation.options()).dividedBy(2));
        return new End(failure, min(doubled, longest), false);
    }

    /**
     * Returns the end of a call that is not attempted again.
     *
     * @param attempts the number of attempts that were made
     * @param reason the end of the last one
     * @return what is to be recorded
     */
    public static End abandoned(int attempts, String reason) {
        return new End(
                new Failure(true, "abandoned", "given up after " + attempts + " attempts: " + reason), null, true);
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
     * @param failure the failure to record
     * @param pause time until the next attempt; {@code null} if there is none
     * @param isAbandoned whether there is none because all were made
     */
    public record End(Failure failure, @Nullable Duration pause, boolean isAbandoned) {}
}
