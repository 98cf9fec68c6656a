package io.idempotency.internal.claim;

import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.Outcome;

/**
 * The result of a claim: the key is granted, or the call gets a stored response or an exception. {@code ClaimResultHandler}
 * acts on it.
 *
 * @param kind determines which of the other components are set
 * @param attempt the number of the granted attempt, from 1; 0 if the key was not granted
 * @param responseBody the stored response as JSON text; {@code null} unless the call {@link Kind#SUCCEEDED}
 * @param failure the recorded failure; {@code null} unless the call {@link Kind#FAILED_FINALLY}, or is given up and {@link Kind#ABANDONED}
 * @param leaseRemaining the time until the lease expires; {@code null} unless the key is {@link Kind#LEASED}
 * @param cause the cause of {@link Kind#IN_PROGRESS} or {@link Kind#REFUSED}; {@code null} otherwise
 */
public record ClaimResult(
        Kind kind,
        int attempt,
        @Nullable String responseBody,
        @Nullable Failure failure,
        @Nullable Duration leaseRemaining,
        @Nullable Exception cause) {

    /** The kind of a result. */
    public enum Kind {

        /** The key is new and now belongs to this call. */
        GRANTED_NEW,

        /** The last attempt with the key had failed. It now belongs to this call. */
        GRANTED_RETRY,

        /** The lease on the key had expired. It now belongs to this call. */
        GRANTED_RECOVERY,

        /** A call with the key succeeded before. */
        SUCCEEDED,

        /** A call with the key succeeded before, but its response is no longer stored. */
        RESPONSE_EXPIRED,

        /** A call with the key failed before, and its failure is final. */
        FAILED_FINALLY,

        /** The key was used with another payload. */
        KEY_REUSED,

        /**
         * Another transaction held the key until the wait limit. The transaction of this claim is aborted, or has not begun;
         * the cause is the {@link SQLException} that ended the wait.
         */
        IN_PROGRESS,

        /** A lease that has not expired holds the key. */
        LEASED,

        /** The row is PROCESSING without a lease, because its method ended the transaction itself or the call is given up. */
        ABANDONED,

        /** The key is not granted, for a reason that the attempt knows which has claimed it: it answers by itself. */
        NOT_GRANTED,

        /** The key must not be claimed now; the cause is the {@link IdempotencyException} that the caller gets. */
        REFUSED
    }

    /** Returns the result for a key that now belongs to this call. */
    public static ClaimResult granted(Kind kind, int attempt) {
        return new ClaimResult(kind, attempt, null, null, null, null);
    }

    /** Returns the result for a call that succeeded before. */
    public static ClaimResult succeeded(String responseBody) {
        return new ClaimResult(Kind.SUCCEEDED, 0, responseBody, null, null, null);
    }

    /** Returns the result for a call whose final failure was recorded before. */
    public static ClaimResult failedFinally(Failure failure) {
        return new ClaimResult(Kind.FAILED_FINALLY, 0, null, failure, null, null);
    }

    /**
     * Returns the result for a call whose effect nobody knows.
     *
     * @param reason why it is given up; {@code null} if its method ended the transaction itself
     */
    public static ClaimResult abandoned(@Nullable Failure reason) {
        return new ClaimResult(Kind.ABANDONED, 0, null, reason, null, null);
    }

    /** Returns the result for a key that a lease holds. */
    public static ClaimResult leased(Duration remaining) {
        return new ClaimResult(Kind.LEASED, 0, null, null, remaining, null);
    }

    /** Returns the result for a key that another transaction held until the wait limit. */
    public static ClaimResult inProgress(SQLException waitEnded) {
        return new ClaimResult(Kind.IN_PROGRESS, 0, null, null, null, waitEnded);
    }

    /** Returns the result for a key that must not be claimed now. */
    public static ClaimResult refused(IdempotencyException reason) {
        return new ClaimResult(Kind.REFUSED, 0, null, null, null, reason);
    }

    /** Returns a result that has no details. */
    public static ClaimResult of(Kind kind) {
        return new ClaimResult(kind, 0, null, null, null, null);
    }

    /** Returns the outcome of a call whose key was granted, and whose method has returned. */
    public Outcome outcome() {
        return switch (kind) {
            case GRANTED_NEW -> Outcome.EXECUTED;
            case GRANTED_RETRY -> Outcome.RETRIED;
            case GRANTED_RECOVERY -> Outcome.RECOVERED;
            default -> throw new IllegalStateException("The claim was not granted: " + this);
        };
    }

    /** Returns whether the key now belongs to this call. */
    public boolean isGranted() {
        return attempt > 0;
    }
}
