package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.internal.codec.Fingerprint;

/**
 * What is asked of the store: to take the key of an intent.
 *
 * @param id the primary key that stands for the intent
 * @param intent scope, caller and key
 * @param fingerprint of the payload
 * @param retention how long the key is kept, from now
 * @param responseRetention how long its response is kept, from now; {@code null} for as long as the key
 * @param waitLimit how long to wait at most, in all, for another transaction that holds the key; more than zero
 * @param completeAtOnce whether the row is final with the claim, because nothing will be known later that it should hold
 * @param lease for a claim that is committed before its effect; {@code null} for one that is part of its transaction
 */
public record ClaimRequest(
        UUID id,
        Intent intent,
        Fingerprint fingerprint,
        Duration retention,
        @Nullable Duration responseRetention,
        Duration waitLimit,
        boolean completeAtOnce,
        @Nullable Lease lease) {

    /**
     * Checks what goes together.
     *
     * @throws IllegalArgumentException if a row that is final with the claim should have a lease or a time for its response
     */
    public ClaimRequest {
        if (completeAtOnce && (lease != null || responseRetention != null)) {
            throw new IllegalArgumentException(
                    "What is complete at once has neither a lease nor a response that goes first");
        }
    }

    /**
     * Asks for the key of an intent.
     *
     * @param intent scope, caller and key
     * @param fingerprint of the payload
     * @param retention how long the key is kept, from now
     * @param responseRetention how long its response is kept, from now; {@code null} for as long as the key
     * @param waitLimit how long to wait at most, in all
     * @param completeAtOnce whether the row is final with the claim
     * @param lease for a claim that is committed before its effect
     */
    public ClaimRequest(
            Intent intent,
            Fingerprint fingerprint,
            Duration retention,
            @Nullable Duration responseRetention,
            Duration waitLimit,
            boolean completeAtOnce,
            @Nullable Lease lease) {
        this(RequestId.of(intent), intent, fingerprint, retention, responseRetention, waitLimit, completeAtOnce, lease);
    }
}
