package io.idempotency.internal.execution;

import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

import io.idempotency.internal.transaction.SqlStates;

/** Whether what failed may be done once more, by what was thrown first and how far it got. */
final class RepeatDecision {

    private RepeatDecision() {}

    /** For the execution of a method in a transaction. */
    static boolean isRepeatable(RunningCall execution, Throwable thrown) {
        if (!execution.startsTransaction() || execution.phase() == RunningCall.Phase.COMMITTED) {
            return false;
        }
        Throwable first = execution.firstFailure();
        if (first != null) {
            return SqlStates.isTransient(SqlStates.of(first));
        }
        return SqlStates.isTransient(SqlStates.of(thrown)) || execution.isCommitUnanswered(thrown);
    }

    /** For a short transaction of the library's own, which can be done twice because its claim token says whose it is. */
    static boolean isRepeatable(Throwable thrown) {
        String sqlState = SqlStates.of(thrown);
        return SqlStates.isTransient(sqlState) || (sqlState == null && thrown instanceof TransactionSystemException);
    }

    /** For one that has to be done in the end: a pool without a free connection is no reason to give up. */
    static boolean isRepeatableUntilDone(Throwable thrown) {
        return isRepeatable(thrown)
                || thrown instanceof CannotCreateTransactionException
                || thrown instanceof CannotGetJdbcConnectionException;
    }
}
