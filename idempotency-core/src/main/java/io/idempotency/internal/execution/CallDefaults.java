package io.idempotency.internal.execution;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.idempotency.DuplicatePolicy;
import io.idempotency.internal.operation.CallTerms;

/**
 * What holds for calls that do not say otherwise.
 *
 * @param retention how long a key and its response are kept
 * @param responseRetention how long a response is kept if its key is kept for longer; {@code null} for as long as the key
 * @param waitTimeout how long to wait at most for another call that holds the key
 * @param maxWaiting how many calls of this JVM may wait at the same time for another that holds their key
 * @param lease how long a leased call holds its key at most if it vanishes
 * @param retry how executions are repeated
 * @param recordFailedAttempts whether failures that are not final are recorded too
 */
public record CallDefaults(
        Duration retention,
        @Nullable Duration responseRetention,
        Duration waitTimeout,
        int maxWaiting,
        Duration lease,
        RetrySettings retry,
        boolean recordFailedAttempts) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is out of range
     */
    public CallDefaults {
        CallTerms.requireRetention(retention);
        if (responseRetention != null) {
            CallTerms.requireRetention(responseRetention);
        }
        CallTerms.requireWaitTimeout(waitTimeout);
        CallTerms.requireLease(lease);
        Assert.isTrue(maxWaiting > 0, "At least one call must be able to wait for another");
    }

    Duration retentionOf(CallTerms terms) {
        return terms.retention() == null ? retention : terms.retention();
    }

    /** Nothing where the response goes with the key: what a call without one stores tells its success, and takes no room. */
    @Nullable Duration responseRetentionOf(IdempotentCall call) {
        return responseRetention != null
                        && call.hasResponse()
                        && responseRetention.compareTo(retentionOf(call.terms())) < 0
                ? responseRetention
                : null;
    }

    Duration leaseOf(CallTerms terms) {
        return terms.lease() == null ? lease : terms.lease();
    }

    WaitBudget waitBudgetOf(CallTerms terms) {
        if (terms.onDuplicate() == DuplicatePolicy.FAIL) {
            return new WaitBudget(WaitBudget.SHORTEST_WAIT);
        }
        return new WaitBudget(terms.waitTimeout() == null ? waitTimeout : terms.waitTimeout());
    }
}
