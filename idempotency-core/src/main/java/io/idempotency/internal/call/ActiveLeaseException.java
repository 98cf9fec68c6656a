package io.idempotency.internal.call;

import java.time.Duration;

import io.idempotency.Intent;
import io.idempotency.RequestInProgressException;

/**
 * The exception of a claim whose key is held by a lease that has not expired. It ends the transaction of the claim, so that
 * {@link IdempotentCallExecutor} holds no connection while it waits for the lease.
 */
final class ActiveLeaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** A call that runs may end long before its lease, and its client need not wait longer than that. */
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofSeconds(10);

    private final Duration remaining;

    ActiveLeaseException(Duration remaining) {
        super("A lease holds the key for another " + remaining.toMillis() + " ms", null, false, false);
        this.remaining = remaining;
    }

    Duration remaining() {
        return remaining;
    }

    RequestInProgressException toRequestInProgress(Intent intent, WaitBudget waitBudget) {
        return inProgress(
                intent,
                remaining,
                ", and did not end within " + waitBudget.spent().toMillis() + " ms");
    }

    static RequestInProgressException inProgress(Intent intent, Duration remaining, String waitDescription) {
        return new RequestInProgressException(
                intent,
                RetryAfter.of(remaining.compareTo(LONGEST_RETRY_AFTER) < 0 ? remaining : LONGEST_RETRY_AFTER),
                "The " + intent + " is being executed by a call that holds its lease for another "
                        + remaining.toMillis() + " ms" + waitDescription + ": repeat this call later with the same key",
                null);
    }
}
