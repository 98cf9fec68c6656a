package io.idempotency.internal.call;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.SqlStates;

/** Decides after which failures the same work may be repeated. */
public final class RetryClassifier {

    private RetryClassifier() {}

    /** Returns whether an attempt of a call may be repeated: the repeat may succeed, and cannot have a second effect. */
    public static boolean isRetryable(Attempt attempt, Throwable thrown) {
        CommitResult commit = attempt.commitResult();
        if (!attempt.startsTransaction() || commit.end() == CommitResult.End.COMMITTED) {
            return false;
        }
        Throwable failureInside = commit.failureInside();
        return failureInside != null ? isTransient(failureInside) : isTransient(thrown) || commit.isInDoubt(thrown);
    }

    /** Returns whether a short transaction of the library may be repeated. A repeat is safe, because the token identifies the claim. */
    public static boolean isRetryable(Throwable thrown) {
        return isTransient(thrown) || (thrown instanceof TransactionSystemException && !SqlStates.isAnswer(thrown));
    }

    /** Returns whether an Error has caused a failure. */
    static boolean isOfError(Throwable thrown) {
        return thrown.getCause() != null && (thrown.getCause() instanceof Error || isOfError(thrown.getCause()));
    }

    /**
     * Returns whether required work may be repeated, for which a pool without a free connection is no reason to stop, nor a standby
     * that is about to be promoted.
     */
    public static boolean isRetryableForRequiredWork(Throwable thrown) {
        return isRetryable(thrown)
                || SqlStates.isReadOnly(SqlStates.of(thrown))
                || thrown instanceof CannotCreateTransactionException
                || thrown instanceof CannotGetJdbcConnectionException;
    }

    /** Returns whether the same work may succeed if it is repeated. */
    static boolean isTransient(Throwable failure) {
        @Nullable String sqlState = SqlStates.of(failure);
        return SqlStates.isSerializationFailure(sqlState)
                || SqlStates.isDeadlock(sqlState)
                || SqlStates.isConnectionLost(sqlState);
    }
}
