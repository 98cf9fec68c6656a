package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;

import org.springframework.dao.DataAccessException;

import io.idempotency.IdempotencyException;

/** Ends a transaction whose COMMIT was not sent, was refused or was not answered, so that the clean-up cannot commit it. */
public final class FailedCommit {

    /** transaction_resolution_unknown */
    private static final String UNKNOWN = "08007";

    private FailedCommit() {}

    /** Rolls back. If that fails, aborts the connection. */
    public static Exception rollBack(Connection connection, Throwable failure) {
        if (isProtocolInSync(failure) && isRolledBack(connection, failure)) {
            return (Exception) failure;
        }
        abort(connection, failure);
        return isProtocolInSync(failure) && SqlStates.isConnectionLost(SqlStates.of(failure))
                ? (Exception) failure
                : unknown(failure);
    }

    /**
     * Rolls back a transaction that Spring has left open. Does nothing if none is open.
     *
     * @return whether a transaction was open and is certain to be rolled back
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

    /** Returns false if the connection was closed, because the pool may have given it to another thread. */
    private static boolean isOpen(Connection connection, Throwable failure) {
        try {
            return !connection.isClosed() && !connection.getAutoCommit();
        } catch (SQLException | RuntimeException connectionLost) {
            Suppression.add(failure, connectionLost);
            return false;
        }
    }

    /** Returns the exception of a commit in doubt. */
    private static SQLException unknown(Throwable failure) {
        return new SQLException("It is not known whether the transaction was committed", UNKNOWN, failure);
    }

    /** Any other failure may leave an answer unread, which the driver would take for the answer to the ROLLBACK. */
    private static boolean isProtocolInSync(Throwable failure) {
        return failure instanceof SQLException
                || failure instanceof DataAccessException
                || failure instanceof IdempotencyException;
    }

    private static boolean isRolledBack(Connection connection, Throwable failure) {
        try {
            connection.rollback();
            // A proxy may ignore a rollback on a connection that was closed meanwhile.
            return !connection.isClosed();
        } catch (Throwable rollbackFailure) {
            Suppression.add(failure, rollbackFailure);
            return false;
        }
    }

    private static void abort(Connection connection, Throwable failure) {
        try {
            connection.abort(Runnable::run);
        } catch (Throwable abortFailure) {
            Suppression.add(failure, abortFailure);
        }
    }
}
