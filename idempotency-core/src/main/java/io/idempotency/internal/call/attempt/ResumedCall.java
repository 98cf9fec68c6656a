package io.idempotency.internal.call.attempt;

import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;

import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.fingerprint.Fingerprint;

import static java.util.Objects.requireNonNull;

/**
 * A call that a thread makes instead of its caller, under a claim that is committed already. It has the intent and the payload
 * of the call that it resumes, and other calls that its method makes have the same caller.
 */
public final class ResumedCall {

    private static final ThreadLocal<@Nullable ResumedCall> CURRENT = new NamedThreadLocal<>("resumed call");

    private final ClaimRequest request;

    private final ClaimResult claim;

    private final Function<Failure, End> ends;

    /** The time for which its lease lasts if nothing renews it, as before its method runs. */
    private volatile Supplier<Duration> leaseRemaining;

    private boolean isRunning;

    private boolean hasReachedKey;

    private boolean hasReturned;

    private @Nullable Throwable failure;

    private @Nullable End end;

    /**
     * Creates a call that is not made yet.
     *
     * @param ends decides what follows a failed attempt
     */
    public ResumedCall(ClaimRequest request, ClaimResult claim, Function<Failure, End> ends) {
        this.request = request;
        this.claim = claim;
        this.ends = ends;
        long leaseEnd = System.nanoTime() + lease().duration().toNanos();
        this.leaseRemaining = () -> Duration.ofNanos(Math.max(0, leaseEnd - System.nanoTime()));
    }

    /** Makes the call on this thread. */
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
    public static @Nullable ResumedCall enter(Intent intent, Fingerprint fingerprint) {
        ResumedCall current = CURRENT.get();
        if (current == null
                || current.isRunning
                || !current.intent().equals(intent)
                || current.fingerprint().contradicts(fingerprint)) {
            return null;
        }
        current.isRunning = true;
        current.hasReachedKey = true;
        return current;
    }

    /** {@return whether its lease has expired, so that it may hang} */
    public boolean mayHang() {
        return leaseRemaining.get().isZero();
    }

    /** Called when its method starts. From then on its lease is renewed. */
    public void leased(Supplier<Duration> remaining) {
        leaseRemaining = remaining;
    }

    /** {@return the intent of the call} */
    public Intent intent() {
        return request.intent();
    }

    /** {@return the claim under which it is made} */
    public Fence fence() {
        return request.fence(attempt());
    }

    public void leave(boolean returned) {
        isRunning = false;
        hasReturned |= returned;
    }

    /** Returns the caller of the call that this thread resumes; {@code null} if it resumes none. */
    public static @Nullable String currentCaller() {
        ResumedCall current = CURRENT.get();
        return current == null ? null : current.intent().caller();
    }

    /** {@return whether the call has reached the key, so that its failure is recorded like the failure of any other call} */
    public boolean hasReachedKey() {
        return hasReachedKey;
    }

    public Fingerprint fingerprint() {
        return request.fingerprint();
    }

    public @Nullable Map<String, String> arguments() {
        return lease().arguments();
    }

    private Lease lease() {
        return requireNonNull(request.lease());
    }

    public UUID token() {
        return lease().token();
    }

    public ClaimResult claim() {
        return claim;
    }

    /** {@return the number of the attempt} */
    public int attempt() {
        return claim.attempt();
    }

    /** Decides what follows a failed attempt. */
    public End endOf(Failure failed) {
        return ends.apply(failed);
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

        /** Returns the status of the key if the end is recorded. An abandoned call keeps its key. */
        public RequestStatus status() {
            if (isAbandoned) {
                return RequestStatus.PROCESSING;
            }
            return failure.isFinal() ? RequestStatus.FAILED_FINAL : RequestStatus.FAILED_RETRYABLE;
        }

        /** Returns whether the next attempt begins as if this one had left nothing. */
        public boolean isForgotten() {
            return !failure.isFinal() && !isAbandoned && pause == null;
        }

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
