package io.idempotency.internal.claim;

import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;

/**
 * The result of a claim.
 *
 * @param kind tells which of the other components are set
 * @param attempt the number of the granted attempt, from 1; 0 if the key was not granted
 * @param responseBody the stored response as JSON text; {@code null} unless the call {@link Kind#SUCCEEDED}
 * @param failure as it was recorded; {@code null} unless the call {@link Kind#FAILED_FINALLY}
 * @param leaseRemaining how long the lease holds the key; {@code null} unless the key is {@link Kind#LEASED}
 * @param cause of {@link Kind#IN_PROGRESS} and {@link Kind#REFUSED}; {@code null} otherwise
 */
public record ClaimResult(
        Kind kind,
        int attempt,
        @Nullable String responseBody,
        @Nullable Failure failure,
        @Nullable Duration leaseRemaining,
        @Nullable Exception cause) {

    /** The kinds of results. */
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

        /** The key belongs to another payload. */
        KEY_REUSED,

        /**
         * Another transaction held the key until the wait limit. The transaction of this claim is aborted, or has not begun;
         * the cause is the {@link SQLException} that ended the wait.
         */
        IN_PROGRESS,

        /** A lease that has not expired holds the key. */
        LEASED,

        /** The key was committed as being processed, without a lease. */
        ABANDONED,

        /** The key must not be claimed now; the cause is the {@link IdempotencyException} that the caller gets. */
        REFUSED
    }

    /**
     * Returns the result for a key that now belongs to this call.
     *
     * @param kind one of those that begin with GRANTED
     * @param attempt the number of this attempt, from 1
     * @return the result
     */
    public static ClaimResult granted(Kind kind, int attempt) {
        return new ClaimResult(kind, attempt, null, null, null, null);
    }

    /**
     * Returns the result for a call that succeeded before.
     *
     * @param responseBody the stored response as JSON text
     * @return the result
     */
    public static ClaimResult succeeded(String responseBody) {
        return new ClaimResult(Kind.SUCCEEDED, 0, responseBody, null, null, null);
    }

    /**
     * Returns the result for a call whose final failure was recorded before.
     *
     * @param failure as it was recorded
     * @return the result
     */
    public static ClaimResult failedFinally(Failure failure) {
        return new ClaimResult(Kind.FAILED_FINALLY, 0, null, failure, null, null);
    }

    /**
     * Returns the result for a key that a lease holds.
     *
     * @param remaining how long it will
     * @return the result
     */
    public static ClaimResult leased(Duration remaining) {
        return new ClaimResult(Kind.LEASED, 0, null, null, remaining, null);
    }

    /**
     * Returns the result for a key that another transaction held until the wait limit.
     *
     * @param waitEnded how PostgreSQL ended the wait
     * @return the result
     */
    public static ClaimResult inProgress(SQLException waitEnded) {
        return new ClaimResult(Kind.IN_PROGRESS, 0, null, null, null, waitEnded);
    }

    /**
     * Returns the result for a key that must not be claimed now.
     *
     * @param reason what the caller gets
     * @return the result
     */
    public static ClaimResult refused(IdempotencyException reason) {
        return new ClaimResult(Kind.REFUSED, 0, null, null, null, reason);
    }

    /**
     * Returns a result that has no details.
     *
     * @param kind what was found
     * @return the result
     */
    public static ClaimResult of(Kind kind) {
        return new ClaimResult(kind, 0, null, null, null, null);
    }

    /**
     * Returns whether the key now belongs to this call.
     *
     * @return true if the method is to run
     */
    public boolean isGranted() {
        return attempt > 0;
    }
}
