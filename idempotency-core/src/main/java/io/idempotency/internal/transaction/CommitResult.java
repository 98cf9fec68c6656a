package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * The result of the transaction of a call and of its COMMIT: committed, rolled back or in doubt. The exception of the COMMIT
 * decides, which need not be the one that reaches the caller. The text of a message decides nothing.
 *
 * @param failureInside the exception that left the claim or the method before a COMMIT was sent; {@code null} if there is none
 * @param transaction what its manager has told of the COMMIT; {@code null} if that takes no listener
 */
public record CommitResult(
        End end,
        @Nullable Throwable failureInside,
        @Nullable ActiveTransaction transaction) {

    /** The end of a transaction, as its synchronization has seen it. */
    public enum End {

        /** No end is known. */
        NONE,

        COMMITTED,

        /** The transaction was still open after its callbacks, and was rolled back then. */
        UNSENT,

        /** The manager has rolled back, perhaps after the failure of a COMMIT. */
        ROLLED_BACK,

        /** COMMIT or ROLLBACK has failed. */
        UNKNOWN,

        /** The connection is closed, so that no answer is one. */
        CONNECTION_LOST
    }

    /**
     * Returns the end of a transaction. If a beforeCommit callback throws a TransactionException, Spring does not roll back, and
     * resetting auto-commit would commit. Such a transaction is rolled back here.
     *
     * @param connection the connection of the transaction; {@code null} if it was never used
     * @param driver the driver's connection from the begin of the transaction, because a wrapper may have replaced it meanwhile;
     *     {@code null} if that is not known
     */
    public static End after(int status, @Nullable Connection connection, @Nullable Connection driver) {
        if (status == TransactionSynchronization.STATUS_COMMITTED) {
            return End.COMMITTED;
        }
        boolean isLost = isClosed(driver);
        boolean wasOpen = status == TransactionSynchronization.STATUS_UNKNOWN
                && driver instanceof BaseConnection open
                && open.getTransactionState() != TransactionState.IDLE;
        boolean isRolledBack = connection != null && FailedCommit.rollBackUnsent(connection);
        if (isLost) {
            return End.CONNECTION_LOST;
        }
        if (wasOpen && isRolledBack) {
            return End.UNSENT;
        }
        return status == TransactionSynchronization.STATUS_ROLLED_BACK ? End.ROLLED_BACK : End.UNKNOWN;
    }

    /** Returns the driver's connection below pools and other wrappers; {@code null} if it is not shown. */
    public static @Nullable Connection driverOf(Connection connection) {
        try {
            return connection.unwrap(BaseConnection.class);
        } catch (SQLException | RuntimeException notShown) {
            return null;
        }
    }

    private static boolean isClosed(@Nullable Connection driver) {
        try {
            return driver != null && driver.isClosed();
        } catch (SQLException | RuntimeException lost) {
            return true;
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
            case UNSENT, ROLLED_BACK, UNKNOWN, CONNECTION_LOST -> !isInDoubt(thrown);
        };
    }

    /** Returns whether COMMIT was sent and not answered. JPA managers report ROLLED_BACK even then. */
    public boolean isInDoubt(Throwable thrown) {
        if (failureInside != null || end == End.NONE || end == End.COMMITTED || end == End.UNSENT) {
            return false;
        }
        if (transaction == null) {
            return isInDoubtWithoutListener(thrown);
        }
        if (!transaction.isCommitSent()) {
            return false;
        }
        Throwable failure = transaction.commitFailureOr(thrown);
        return end == End.CONNECTION_LOST || failure == null || !SqlStates.isAnswer(failure);
    }

    /** If such a manager has rolled back, it is not known whether it has sent COMMIT before. */
    private boolean isInDoubtWithoutListener(Throwable thrown) {
        return switch (end) {
            case ROLLED_BACK -> SqlStates.isConnectionLost(SqlStates.of(thrown)) || SqlStates.endsSession(thrown);
            case UNKNOWN -> !SqlStates.isAnswer(thrown);
            case CONNECTION_LOST -> true;
            case NONE, COMMITTED, UNSENT -> false;
        };
    }
}
