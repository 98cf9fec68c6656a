package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.internal.codec.Fingerprint;

/**
 * A committed request as a claim finds it, or one of the own transaction.
 *
 * @param intent whose request it is
 * @param fingerprint of its payload
 * @param status how far it got
 * @param attempt the number of the last attempt
 * @param responseBody the response as JSON text; {@code null} if it is not stored, or not any more
 * @param failureCode the code of a failure; {@code null} if it did not fail
 * @param failureMessage the message of a failure; {@code null} if it did not fail
 * @param claimToken of the lease; {@code null} if there is none
 * @param leaseRemaining how long the lease holds, negative if it has expired; {@code null} if there is none
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
        @Nullable Duration leaseRemaining) {

    /**
     * What this row means for a request that met it.
     *
     * @param request the request that was not granted because of this row
     * @return the answer; {@code null} if the row lets the request claim the key again
     * @throws IllegalStateException if two intents have the same request id
     */
    public @Nullable Claim answerTo(ClaimRequest request) {
        if (!intent.equals(request.intent())) {
            throw new IllegalStateException("The " + intent + " and the " + request.intent()
                    + " have the same request id " + request.id() + ": use another key for the latter");
        }
        if (status == RequestStatus.FAILED_RETRYABLE) {
            return null;
        }
        if (fingerprint.contradicts(request.fingerprint())) {
            return new Claim.KeyReused();
        }
        return switch (status) {
            case PROCESSING -> answerWhileProcessing(request);
            case SUCCEEDED -> responseBody == null ? new Claim.ResponseExpired() : new Claim.Succeeded(responseBody);
            case FAILED_FINAL ->
                new Claim.FailedFinally(
                        failureCode == null ? "" : failureCode, failureMessage == null ? "" : failureMessage);
            case FAILED_RETRYABLE -> null;
        };
    }

    private @Nullable Claim answerWhileProcessing(ClaimRequest request) {
        if (leaseRemaining == null) {
            return new Claim.Abandoned();
        }
        if (request.lease() != null && request.lease().token().equals(claimToken)) {
            return new Claim.Granted(attempt, originOfNextAttempt(attempt - 1));
        }
        return leaseRemaining.isNegative() || leaseRemaining.isZero() ? null : new Claim.Leased(leaseRemaining);
    }

    private static Claim.Granted.Origin originOfNextAttempt(int attemptsBefore) {
        return attemptsBefore == 0 ? Claim.Granted.Origin.NEW : Claim.Granted.Origin.EXPIRED_LEASE;
    }

    /**
     * The claim that wrote this row last.
     *
     * @param requestId the primary key that stands for the intent
     * @return what names that claim
     */
    public Fence fence(UUID requestId) {
        return new Fence(requestId, attempt, claimToken);
    }

    /**
     * In which state a request finds this row that claims the key again.
     *
     * @return why it may be claimed again
     */
    public Claim.Granted.Origin origin() {
        return status == RequestStatus.PROCESSING
                ? Claim.Granted.Origin.EXPIRED_LEASE
                : Claim.Granted.Origin.FAILED_ATTEMPT;
    }
}
