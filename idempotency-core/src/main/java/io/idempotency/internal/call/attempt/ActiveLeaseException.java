package io.idempotency.internal.call.attempt;

import java.time.Duration;

import io.idempotency.Intent;
import io.idempotency.RequestInProgressException;
import io.idempotency.internal.call.wait.RetryAfter;
import io.idempotency.internal.call.wait.WaitBudget;

/**
 * The exception of a claim whose key is held by a lease that has not expired. It ends the transaction of the claim, so that
 * no connection is held during the wait for the lease.
 */
public final class ActiveLeaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** A call that runs may end long before its lease, and its client need not wait longer than that. */
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofSeconds(10);

    private final Duration remaining;

    public ActiveLeaseException(Duration remaining) {
        super("A lease holds the key for another " + remaining.toMillis() + " ms", null, false, false);
        this.remaining = remaining;
    }

    public Duration remaining() {
        return remaining;
    }

    public RequestInProgressException toRequestInProgress(Intent intent, WaitBudget waitBudget) {
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
