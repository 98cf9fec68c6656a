package io.idempotency.internal.execution;

import java.time.Duration;

import io.idempotency.Intent;
import io.idempotency.RequestInProgressException;

/** A lease that has not expired holds the key. Ends the transaction, so that no connection is held while waiting. */
final class ActiveLeaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Duration remaining;

    ActiveLeaseException(Duration remaining) {
        super("A lease holds the key for another " + remaining.toMillis() + " ms", null, false, false);
        this.remaining = remaining;
    }

    Duration remaining() {
        return remaining;
    }

    RequestInProgressException whenWaitedInVain(Intent intent, WaitBudget waitBudget) {
        return inProgress(
                intent,
                remaining,
                ", and did not end within " + waitBudget.spent().toMillis() + " ms");
    }

    static RequestInProgressException inProgress(Intent intent, Duration remaining, String wait) {
        return new RequestInProgressException(
                intent,
                RetryAfter.of(remaining),
                "The " + intent + " is being executed by a call that holds its lease for another "
                        + remaining.toMillis() + " ms" + wait + ": repeat this call later with the same key",
                null);
    }
}
