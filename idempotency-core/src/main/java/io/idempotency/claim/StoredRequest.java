package io.idempotency.claim;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.codec.Fingerprint;

/**
 * A committed request as a claim finds it, or one of the own transaction.
 *
 * @param intent whose request it is
 * @param fingerprint of its payload
 * @param status how far it got
 * @param responseBody the response as JSON text; {@code null} if it is not stored, or not any more
 */
public record StoredRequest(
        Intent intent,
        Fingerprint fingerprint,
        RequestStatus status,
        @Nullable String responseBody) {

    /**
     * What this row means for a request that met it.
     *
     * @param request the request that was not granted because of this row
     * @return the answer
     * @throws IllegalStateException if two intents have the same request id
     */
    public Claim answerTo(ClaimRequest request) {
        if (!intent.equals(request.intent())) {
            throw new IllegalStateException("The " + intent + " and the " + request.intent()
                    + " have the same request id " + request.id() + ": use another key for the latter");
        }
        if (fingerprint.contradicts(request.fingerprint())) {
            return new Claim.KeyReused();
        }
        return switch (status) {
            case PROCESSING -> new Claim.Abandoned();
            case SUCCEEDED -> responseBody == null ? new Claim.ResponseExpired() : new Claim.Succeeded(responseBody);
        };
    }
}
