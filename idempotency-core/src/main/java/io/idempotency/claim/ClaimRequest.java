package io.idempotency.claim;

import java.time.Duration;
import java.util.UUID;

import io.idempotency.Intent;
import io.idempotency.codec.Fingerprint;

/**
 * What is asked of the store: to take the key of an intent.
 *
 * @param id the primary key that stands for the intent
 * @param intent scope, caller and key
 * @param fingerprint of the payload
 * @param retention how long the key is kept, from now
 * @param waitLimit how long to wait at most, in all, for another transaction that holds the key; more than zero
 * @param completeAtOnce whether the row is final with the claim, because nothing will be known later that it should hold
 */
public record ClaimRequest(
        UUID id,
        Intent intent,
        Fingerprint fingerprint,
        Duration retention,
        Duration waitLimit,
        boolean completeAtOnce) {

    /**
     * Asks for the key of an intent.
     *
     * @param intent scope, caller and key
     * @param fingerprint of the payload
     * @param retention how long the key is kept, from now
     * @param waitLimit how long to wait at most, in all
     * @param completeAtOnce whether the row is final with the claim
     */
    public ClaimRequest(
            Intent intent, Fingerprint fingerprint, Duration retention, Duration waitLimit, boolean completeAtOnce) {
        this(RequestId.of(intent), intent, fingerprint, retention, waitLimit, completeAtOnce);
    }
}
