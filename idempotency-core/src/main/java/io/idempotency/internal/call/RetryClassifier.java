package io.idempotency.internal.call;

import io.idempotency.internal.call.attempt.Attempt;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.RepeatableFailure;

/** Decides after which failures an attempt of a call may be repeated. */
public final class RetryClassifier {

    private RetryClassifier() {}

    /** Returns whether an attempt of a call may be repeated: the repeat may succeed, and cannot have a second effect. */
    public static boolean isRetryable(Attempt attempt, Throwable thrown) {
        CommitResult commit = attempt.commitResult();
        if (!attempt.startsTransaction() || commit.end() == CommitResult.End.COMMITTED) {
            return false;
        }
        Throwable failureInside = commit.failureInside();
        return failureInside != null
                ? RepeatableFailure.isTransient(failureInside)
                : RepeatableFailure.isTransient(thrown) || commit.isInDoubt(thrown);
    }
}
