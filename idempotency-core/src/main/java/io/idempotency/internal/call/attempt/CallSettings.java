package io.idempotency.internal.call.attempt;

import org.springframework.util.Assert;

/**
 * The settings that all calls have in common.
 *
 * @param maxWaiting number of calls of this JVM that may wait at the same time for one that holds the same key
 * @param maxWaitingInAll number of calls of this JVM that may wait at the same time, whatever their keys are
 * @param recordFailedAttempts whether failures that are not final are recorded
 */
public record CallSettings(int maxWaiting, int maxWaitingInAll, RetrySettings retry, boolean recordFailedAttempts) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if no call may wait
     */
    public CallSettings {
        Assert.isTrue(maxWaiting > 0 && maxWaitingInAll > 0, "At least one call must be able to wait for another");
    }

    public String tooManyWaiting() {
        return "as many calls of this process wait as may at the same time (idempotency.max-waiting = " + maxWaiting
                + " for one key, idempotency.max-waiting-in-all = " + maxWaitingInAll + ")";
    }
}
