package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;

import org.springframework.dao.DataAccessException;

import io.idempotency.IdempotencyException;

/** Leaves nothing open of a transaction whose COMMIT was not sent, was refused, or was not answered. */
public final class FailedCommit {

    /** transaction_resolution_unknown */
    private static final String UNKNOWN = "08007";

    private FailedCommit() {}

    /**
     * Rolls back, or else gives up the connection.
     *
     * @return the failure, or one which says that nobody knows what became of the transaction
     */
    public static Exception rollBack(Connection connection, Throwable failure) {
        if (isDriverAtRest(failure) && isRolledBack(connection, failure)) {
            return (Exception) failure;
        }
        abort(connection, failure);
        return isDriverAtRest(failure) && SqlStates.isConnectionLost(SqlStates.of(failure))
                ? (Exception) failure
                : unknown(failure);
    }

    /**
     * What nobody has ended, so that the clean-up that follows would commit it.
     *
     * @return whether nothing is open any more for certain, which a lost connection cannot tell
     */
    public static boolean rollBackUnsent(Connection connection) {
        SQLException notSent = new SQLException("COMMIT was not sent");
        if (!isOpen(connection, notSent)) {
            return false;
        }
        if (isRolledBack(connection, notSent)) {
            return true;
        }
        abort(connection, notSent);
        return false;
    }

    /** A pool may have lent it to somebody else meanwhile. */
    private static boolean isOpen(Connection connection, Throwable failure) {
        try {
            return !connection.isClosed() && !connection.getAutoCommit();
        } catch (SQLException | RuntimeException lost) {
            Suppression.add(failure, lost);
            return false;
        }
    }

    public static SQLException unknown(Throwable failure) {
        return new SQLException("It is not known whether the transaction was committed", UNKNOWN, failure);
    }

    /** What is no failure of SQL may have left an answer unread, which would be taken for that of the ROLLBACK. */
    private static boolean isDriverAtRest(Throwable failure) {
        return failure instanceof SQLException
                || failure instanceof DataAccessException
                || failure instanceof IdempotencyException;
    }

    private static boolean isRolledBack(Connection connection, Throwable failure) {
        try {
            connection.rollback();
            // A proxy may keep quiet about a connection that was closed meanwhile.
            return !connection.isClosed();
        } catch (Throwable notRolledBack) {
            Suppression.add(failure, notRolledBack);
            return false;
        }
    }

    private static void abort(Connection connection, Throwable failure) {
        try {
            connection.abort(Runnable::run);
        } catch (Throwable notAborted) {
            Suppression.add(failure, notAborted);
        }
    }
}
