package io.idempotency.internal.transaction;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

/** Decides after which failures the same work may succeed if it is repeated. */
public final class RepeatableFailure {

    private RepeatableFailure() {}

    /** Returns whether the database may do the same work in another transaction. */
    public static boolean isTransient(Throwable failure) {
        @Nullable String sqlState = SqlStates.of(failure);
        return SqlStates.isSerializationFailure(sqlState)
                || SqlStates.isDeadlock(sqlState)
                || SqlStates.isConnectionLost(sqlState);
    }

    /** Returns whether a short transaction of the library may be repeated, which is safe even if its COMMIT was not answered. */
    public static boolean isOfShortTransaction(Throwable failure) {
        return isTransient(failure) || (failure instanceof TransactionSystemException && !SqlStates.isAnswer(failure));
    }

    /**
     * Returns whether required work may be repeated, for which a pool without a free connection is no reason to stop, nor a standby
     * that is about to be promoted.
     */
    static boolean isForRequiredWork(Throwable failure) {
        return isOfShortTransaction(failure)
                || SqlStates.isReadOnly(SqlStates.of(failure))
                || failure instanceof CannotCreateTransactionException
                || failure instanceof CannotGetJdbcConnectionException;
    }

    /** Returns whether an Error has caused a failure. */
    static boolean isOfError(Throwable failure) {
        return failure.getCause() != null && (failure.getCause() instanceof Error || isOfError(failure.getCause()));
    }
}
