package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;

import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.ClaimStore.TransactionState;

/**
 * The result of the transaction of a call and of its COMMIT: committed, rolled back or in doubt. It is derived from the end that
 * the synchronization has seen, the exception inside the transaction, and the SQLSTATE of the exception of the manager. The text
 * of a message decides nothing.
 *
 * @param end the end of the transaction
 * @param failureInside the exception that left the claim or the method before a COMMIT was sent; {@code null} if there is none
 */
public record CommitResult(End end, @Nullable Throwable failureInside) {

    /** The end of a transaction. */
    public enum End {

        /** No end is known. */
        NONE,

        COMMITTED,

        ROLLED_BACK,

        /** COMMIT or ROLLBACK was sent, and not answered. */
        UNKNOWN
    }

    /**
     * Returns the end of a transaction. If a beforeCommit callback throws a TransactionException, Spring reports an unknown end and
     * does not roll back, and resetting auto-commit would commit. Such a transaction is rolled back here.
     *
     * @param status the status that Spring passes to synchronizations
     * @param connection the connection of the transaction; {@code null} if it was never used
     * @param store knows the state of the transaction without a round trip
     */
    public static End after(int status, @Nullable Connection connection, ClaimStore store) {
        if (status == TransactionSynchronization.STATUS_COMMITTED) {
            return End.COMMITTED;
        }
        // Only if the status is unknown: after a rollback the query could fetch a connection that was never used.
        boolean wasOpen = status == TransactionSynchronization.STATUS_UNKNOWN && isOpen(connection, store);
        boolean isRolledBack = connection != null && FailedCommit.rollBackUnsent(connection);
        return status == TransactionSynchronization.STATUS_ROLLED_BACK || (wasOpen && isRolledBack)
                ? End.ROLLED_BACK
                : End.UNKNOWN;
    }

    private static boolean isOpen(@Nullable Connection connection, ClaimStore store) {
        try {
            return connection != null
                    && !connection.isClosed()
                    && store.transactionState(connection) != TransactionState.ENDED;
        } catch (SQLException | RuntimeException lost) {
            return false;
        }
    }

    /**
     * Returns whether the transaction is certain to be rolled back. After a failure inside, no COMMIT is sent. A server that answers
     * a COMMIT with an error has rolled back.
     */
    public boolean isRolledBack(Throwable thrown) {
        return switch (end) {
            case COMMITTED -> false;
            case NONE -> failureInside != null;
            case ROLLED_BACK, UNKNOWN -> !isInDoubt(thrown);
        };
    }

    /** Returns whether COMMIT was sent and not answered. JPA managers report ROLLED_BACK even then. */
    public boolean isInDoubt(Throwable thrown) {
        if (failureInside != null) {
            return false;
        }
        String sqlState = SqlStates.of(thrown);
        return switch (end) {
            case UNKNOWN -> !SqlStates.isAnswer(sqlState);
            case ROLLED_BACK -> SqlStates.isConnectionLost(sqlState);
            case NONE, COMMITTED -> false;
        };
    }
}
