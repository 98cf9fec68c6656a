package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.internal.fingerprint.Fingerprint;

/**
 * The request for the key of an intent, which a call gives to its {@link ClaimStore}.
 *
 * @param retention time for which the key is kept, from now
 * @param responseRetention time for which its response is kept, from now; {@code null} for as long as the key
 * @param waitLimit the longest wait, in all, for other transactions that hold the key; more than zero
 * @param completeAtOnce whether the claim already stores the success, because the call has neither a response nor a reference
 * @param lease lease of a claim that is committed before its effect; {@code null} for one that is part of its transaction
 */
public record ClaimRequest(
        RequestKey key,
        Duration retention,
        @Nullable Duration responseRetention,
        Duration waitLimit,
        boolean completeAtOnce,
        @Nullable Lease lease) {

    /**
     * Checks that the parts are consistent.
     *
     * @throws IllegalArgumentException if a claim that is complete at once has a lease or a response retention
     */
    public ClaimRequest {
        if (completeAtOnce && (lease != null || responseRetention != null)) {
            throw new IllegalArgumentException(
                    "A claim that is complete at once has neither a lease nor a retention of its response");
        }
    }

    /** Returns the request of a call that is complete with its claim, and whose key keeps no response. */
    public static ClaimRequest completeAtOnce(RequestKey key, Duration retention, Duration waitLimit) {
        return new ClaimRequest(key, retention, null, waitLimit, true, null);
    }

    /** Returns the same request with another limit of the wait. */
    public ClaimRequest withWaitLimit(Duration limit) {
        return new ClaimRequest(key, retention, responseRetention, limit, completeAtOnce, lease);
    }

    /** {@return the primary key} */
    public UUID id() {
        return key.id();
    }

    /** {@return scope, caller and key} */
    public Intent intent() {
        return key.intent();
    }

    /** {@return the fingerprint of the payload} */
    public Fingerprint fingerprint() {
        return key.fingerprint();
    }

    /** Returns the fence of the claim that this request is granted. */
    public Fence fence(int attempt) {
        return new Fence(key, attempt, lease == null ? null : lease.token(), isResumable() ? retention : null);
    }

    /** {@return whether the call may be resumed without its caller} */
    public boolean isResumable() {
        return lease != null && lease.arguments() != null;
    }
}
