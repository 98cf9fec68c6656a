package io.idempotency.internal.call;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.idempotency.DuplicatePolicy;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.operation.CallOptions;

/**
 * The settings of the application for calls, where {@link CallOptions} leaves them open.
 *
 * @param retention time for which a key and its response are kept
 * @param responseRetention time for which a response is kept if its key is kept for longer; {@code null} for as long as the key
 * @param waitTimeout the longest wait for another call that holds the key
 * @param maxWaiting number of calls of this JVM that may wait at the same time for one that holds the same key
 * @param maxWaitingInAll number of calls of this JVM that may wait at the same time, whatever their keys are
 * @param lease time for which a lease holds its key unless it is ended or extended
 * @param retry the settings of retries
 * @param recordFailedAttempts whether failures that are not final are recorded
 */
public record CallDefaults(
        Duration retention,
        @Nullable Duration responseRetention,
        Duration waitTimeout,
        int maxWaiting,
        int maxWaitingInAll,
        Duration lease,
        RetrySettings retry,
        boolean recordFailedAttempts) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is out of range
     */
    public CallDefaults {
        CallOptions.requireRetention(retention);
        if (responseRetention != null) {
            CallOptions.requireRetention(responseRetention);
        }
        CallOptions.requireWaitTimeout(waitTimeout);
        CallOptions.requireLease(lease);
        Assert.isTrue(maxWaiting > 0 && maxWaitingInAll > 0, "At least one call must be able to wait for another");
    }

    /**
     * Returns the request by which a call claims its key.
     *
     * @param call the call
     * @param waitLimit the longest wait for other transactions
     * @param completeAtOnce whether the claim stores the success
     * @param leased the lease; {@code null} for a claim in the transaction of the effect
     * @return the request
     */
    public ClaimRequest claimRequest(
            IdempotentCall call, Duration waitLimit, boolean completeAtOnce, @Nullable Lease leased) {
        return new ClaimRequest(
                call.requestId(),
                call.intent(),
                call.fingerprint(),
                retentionOf(call.options()),
                responseRetentionOf(call),
                waitLimit,
                completeAtOnce,
                leased);
    }

    Duration retentionOf(CallOptions options) {
        return options.retention() == null ? retention : options.retention();
    }

    /** Returns null if the response has no retention of its own. */
    private @Nullable Duration responseRetentionOf(IdempotentCall call) {
        return responseRetention != null
                        && call.hasResponse()
                        && responseRetention.compareTo(retentionOf(call.options())) < 0
                ? responseRetention
                : null;
    }

    /**
     * Returns the length of a lease.
     *
     * @param options the options of the call
     * @return its own, or the default
     */
    public Duration leaseOf(CallOptions options) {
        return options.lease() == null ? lease : options.lease();
    }

    WaitBudget waitBudgetOf(CallOptions options) {
        if (options.onDuplicate() == DuplicatePolicy.FAIL) {
            return new WaitBudget(WaitBudget.SHORTEST_WAIT);
        }
        return new WaitBudget(options.waitTimeout() == null ? waitTimeout : options.waitTimeout());
    }
}
