package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.fingerprint.Fingerprint;

/**
 * The row of a request, as a claim finds it. It is committed, or was written by the same transaction.
 *
 * @param responseBody the response as JSON text; {@code null} if it is not stored, or no longer stored
 * @param failureCode the code of a failure; {@code null} if it did not fail and is not given up
 * @param failureMessage the message of a failure, or why it is given up; {@code null} otherwise
 * @param hasSteps whether steps of its attempts are recorded
 * @param leaseRemaining the time until the lease expires, negative if it has expired; {@code null} if there is none. A call that has
 *     failed in a retryable way has one if it has steps, or is to be resumed without its caller
 */
public record StoredRequest(
        Intent intent,
        Fingerprint fingerprint,
        RequestStatus status,
        int attempt,
        @Nullable String responseBody,
        @Nullable String failureCode,
        @Nullable String failureMessage,
        @Nullable UUID claimToken,
        boolean hasSteps,
        @Nullable Duration leaseRemaining) {

    /**
     * Returns the result for a claim that finds this row.
     *
     * @return the result; {@code null} if the key can be reclaimed
     * @throws IllegalStateException if two intents have the same request id
     */
    public @Nullable ClaimResult answerTo(ClaimRequest request) {
        if (!intent.equals(request.intent())) {
            throw new IllegalStateException("The " + intent + " and the " + request.intent()
                    + " have the same request id " + request.id() + ": use another key for the latter");
        }
        // Another payload may follow an attempt that has failed, unless the next attempt goes on with it.
        if (status == RequestStatus.FAILED_RETRYABLE && !hasSteps && leaseRemaining == null) {
            return null;
        }
        if (fingerprint.contradicts(request.fingerprint())) {
            return ClaimResult.of(Kind.KEY_REUSED);
        }
        return switch (status) {
            case PROCESSING -> answerWhileProcessing(request);
            case SUCCEEDED ->
                responseBody == null ? ClaimResult.of(Kind.RESPONSE_EXPIRED) : ClaimResult.succeeded(responseBody);
            case FAILED_FINAL -> ClaimResult.failedFinally(failure(true));
            case FAILED_RETRYABLE -> null;
        };
    }

    private @Nullable ClaimResult answerWhileProcessing(ClaimRequest request) {
        if (leaseRemaining == null) {
            return ClaimResult.abandoned(failureCode == null ? null : failure(false));
        }
        if (request.lease() != null && request.lease().token().equals(claimToken)) {
            return ClaimResult.granted(attempt == 1 ? Kind.GRANTED_NEW : Kind.GRANTED_RECOVERY, attempt);
        }
        return leaseRemaining.isNegative() || leaseRemaining.isZero() ? null : ClaimResult.leased(leaseRemaining);
    }

    private Failure failure(boolean isFinal) {
        return new Failure(
                isFinal, failureCode == null ? "" : failureCode, failureMessage == null ? "" : failureMessage);
    }

    /** Returns whether the last claim of this row belongs to a fence. */
    public boolean isClaimedBy(Fence fence) {
        return attempt == fence.attempt() && Objects.equals(claimToken, fence.token());
    }

    /**
     * Returns whether a request may reclaim the key of this row: only an attempt with steps goes on where the last one stopped.
     *
     * @return {@code false} if steps are recorded, and the request has no lease
     */
    public boolean isReclaimableBy(ClaimRequest request) {
        return !hasSteps || request.lease() != null;
    }

    /** Returns the kind of the result for a request that reclaims the key of this row. */
    public Kind kindOfReclaim() {
        return status == RequestStatus.PROCESSING ? Kind.GRANTED_RECOVERY : Kind.GRANTED_RETRY;
    }
}
