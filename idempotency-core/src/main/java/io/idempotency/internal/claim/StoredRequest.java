package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimResult.Kind;
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
     * Returns the result for a request that finds this row.
     *
     * @param request whose key this row has
     * @return the result; {@code null} if the request may claim the key again
     * @throws IllegalStateException if two intents have the same request id
     */
    public @Nullable ClaimResult answerTo(ClaimRequest request) {
        if (!intent.equals(request.intent())) {
            throw new IllegalStateException("The " + intent + " and the " + request.intent()
                    + " have the same request id " + request.id() + ": use another key for the latter");
        }
        if (status == RequestStatus.FAILED_RETRYABLE) {
            return null;
        }
        if (fingerprint.contradicts(request.fingerprint())) {
            return ClaimResult.of(Kind.KEY_REUSED);
        }
        return switch (status) {
            case PROCESSING -> answerWhileProcessing(request);
            case SUCCEEDED ->
                responseBody == null ? ClaimResult.of(Kind.RESPONSE_EXPIRED) : ClaimResult.succeeded(responseBody);
            case FAILED_FINAL ->
                ClaimResult.failedFinally(new Failure(
                        true, failureCode == null ? "" : failureCode, failureMessage == null ? "" : failureMessage));
            case FAILED_RETRYABLE -> null;
        };
    }

    private @Nullable ClaimResult answerWhileProcessing(ClaimRequest request) {
        if (leaseRemaining == null) {
            return ClaimResult.of(Kind.ABANDONED);
        }
        if (request.lease() != null && request.lease().token().equals(claimToken)) {
            return ClaimResult.granted(attempt == 1 ? Kind.GRANTED_NEW : Kind.GRANTED_RECOVERY, attempt);
        }
        return leaseRemaining.isNegative() || leaseRemaining.isZero() ? null : ClaimResult.leased(leaseRemaining);
    }

    /**
     * Returns the fence of the claim that wrote this row last.
     *
     * @param requestId the primary key that stands for the intent
     * @return names that claim and no other
     */
    public Fence fence(UUID requestId) {
        return new Fence(requestId, attempt, claimToken);
    }

    /**
     * Returns what a request gets that claims the key of this row again.
     *
     * @return the kind of its result
     */
    public Kind kindOfReclaim() {
        return status == RequestStatus.PROCESSING ? Kind.GRANTED_RECOVERY : Kind.GRANTED_RETRY;
    }
}
