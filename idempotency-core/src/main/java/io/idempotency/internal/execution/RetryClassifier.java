package io.idempotency.internal.execution;

import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

import io.idempotency.internal.transaction.SqlStates;

/** Decides after which failures the same work may be repeated. */
final class RetryClassifier {

    private RetryClassifier() {}

    /** Returns whether an attempt of a call may be repeated. */
    static boolean isRetryable(CallExecution execution, Throwable thrown) {
        return execution.startsTransaction() && execution.commitResult().isRetryable(thrown);
    }

    /** Returns whether a short transaction of the library may be repeated. A repeat is safe, because the token identifies the claim. */
    static boolean isRetryable(Throwable thrown) {
        String sqlState = SqlStates.of(thrown);
        return SqlStates.isTransient(sqlState) || (sqlState == null && thrown instanceof TransactionSystemException);
    }

    /** Returns whether required work may be repeated, for which a pool without a free connection is no reason to stop. */
    static boolean isRetryableForRequiredWork(Throwable thrown) {
        return isRetryable(thrown)
                || thrown instanceof CannotCreateTransactionException
                || thrown instanceof CannotGetJdbcConnectionException;
    }
}
