package io.idempotency.internal.execution;

import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

import io.idempotency.internal.transaction.SqlStates;

/** Tells failures after which the same work may be done once more. */
final class RetryClassifier {

    private RetryClassifier() {}

    /** For an attempt of a call whose method runs in a transaction. */
    static boolean isRetryable(CallExecution execution, Throwable thrown) {
        return execution.startsTransaction() && execution.commitResult().isRetryable(thrown);
    }

    /** For a short transaction of the library's own, which can be done twice because its claim token says whose it is. */
    static boolean isRetryable(Throwable thrown) {
        String sqlState = SqlStates.of(thrown);
        return SqlStates.isTransient(sqlState) || (sqlState == null && thrown instanceof TransactionSystemException);
    }

    /** For one that has to be done in the end: a pool without a free connection is no reason to give up. */
    static boolean isRetryableUntilDone(Throwable thrown) {
        return isRetryable(thrown)
                || thrown instanceof CannotCreateTransactionException
                || thrown instanceof CannotGetJdbcConnectionException;
    }
}
