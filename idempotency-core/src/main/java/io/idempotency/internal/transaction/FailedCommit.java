package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionSystemException;

import io.idempotency.IdempotencyException;

/** Ends a transaction whose COMMIT was not sent, was refused or was not answered, so that the clean-up cannot commit it. */
public final class FailedCommit {

    /** transaction_resolution_unknown */
    private static final String UNKNOWN = "08007";

    private FailedCommit() {}

    /**
     * Sends a message that ends with the COMMIT of its transaction. If that fails, rolls back.
     *
     * @throws E if PostgreSQL has refused a statement of it, so that nothing is committed
     * @throws TransactionSystemException if it was not answered
     */
    @SuppressWarnings("unchecked") // What was refused is what the message has thrown.
    public static <T extends @Nullable Object, E extends Exception> T commitWith(
            Connection connection, Message<T, E> message) throws E {
        try {
            return message.send();
        } catch (Throwable failure) {
            Exception ended = rollBack(connection, failure);
            if (ended == failure && SqlStates.isAnswer(ended)) {
                throw (E) ended;
            }
            // One of these lets Spring report an unknown end to callbacks, and not a rollback.
            throw new TransactionSystemException("COMMIT failed", ended);
        }
    }

    /** Returns the exception for what has failed after a COMMIT, so that it has to be done again. */
    public static TransactionSystemException afterCommit(Throwable failure) {
        return new TransactionSystemException("What follows a COMMIT has failed", unknown(failure));
    }

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

    /** A message with its COMMIT. */
    @FunctionalInterface
    public interface Message<T extends @Nullable Object, E extends Exception> {

        /** Sends it and returns its result. */
        T send() throws E;
    }
}
