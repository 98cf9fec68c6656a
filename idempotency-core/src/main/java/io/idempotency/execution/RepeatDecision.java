package io.idempotency.execution;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionSystemException;

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
        String sqlState = SqlStates.of(thrown);
        return SqlStates.isTransient(sqlState) || isCommitWithoutAnswer(execution, sqlState);
    }

    /**
     * A connection that breaks while COMMIT is on its way can surface as a failed rollback without any SQLSTATE. With the
     * server's own SQLSTATE, such as that of a deferred constraint, it has answered: rolled back.
     */
    private static boolean isCommitWithoutAnswer(RunningCall execution, @Nullable String sqlState) {
        return execution.phase() == RunningCall.Phase.UNKNOWN && sqlState == null;
    }

    /** For a short transaction of the library's own, which can be done twice because its claim token says whose it is. */
    static boolean isRepeatable(Throwable thrown) {
        String sqlState = SqlStates.of(thrown);
        return SqlStates.isTransient(sqlState) || (sqlState == null && thrown instanceof TransactionSystemException);
    }
}
