package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;

import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.ClaimStore.TransactionState;

/**
 * Answers what became of the transaction of a call, and of its COMMIT. Three things tell: how the transaction ended as its
 * synchronization has seen it, what failed inside of it, and the SQLSTATE of what its manager threw. The text of a message
 * tells nothing.
 *
 * @param end how the transaction ended
 * @param failureInside the exception that left the method or its claim before a COMMIT was sent; {@code null} if none did
 */
public record CommitResult(End end, @Nullable Throwable failureInside) {

    /** How a transaction ended. */
    public enum End {

        /** It has not ended, as far as is known. */
        NONE,

        COMMITTED,

        ROLLED_BACK,

        /** COMMIT or ROLLBACK was sent, and not answered. */
        UNKNOWN
    }

    /**
     * Returns how a transaction ended. If a callback before the commit throws one of Spring's own exceptions of transactions,
     * Spring calls the end unknown and does not roll back; its clean-up would switch auto-commit on, which commits. Such a
     * transaction is rolled back here.
     *
     * @param status as Spring tells its synchronizations
     * @param connection of the transaction; {@code null} if it was never used
     * @param store knows the state of the transaction without asking the server
     */
    public static End after(int status, @Nullable Connection connection, ClaimStore store) {
        if (status == TransactionSynchronization.STATUS_COMMITTED) {
            return End.COMMITTED;
        }
        // Not asked after a rollback: a connection that was never used would be fetched for it.
        boolean wasOpen = status == TransactionSynchronization.STATUS_UNKNOWN && isOpen(connection, store);
        boolean isNothingOpen = connection != null && FailedCommit.rollBackUnsent(connection);
        return status == TransactionSynchronization.STATUS_ROLLED_BACK || (wasOpen && isNothingOpen)
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
     * Returns whether everything that the transaction wrote is gone for certain. After a failure inside no COMMIT is sent, and
     * a server that says why it refuses one has rolled back.
     */
    public boolean isRolledBack(Throwable thrown) {
        return switch (end) {
            case COMMITTED -> false;
            case NONE -> failureInside != null;
            case ROLLED_BACK, UNKNOWN -> !isInDoubt(thrown);
        };
    }

    /** Returns whether COMMIT was sent and not answered. A JPA transaction is called rolled back even then. */
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

    /** Returns whether the same work may succeed, and has no second effect, if it is done once more. */
    public boolean isRetryable(Throwable thrown) {
        if (end == End.COMMITTED) {
            return false;
        }
        if (failureInside != null) {
            return SqlStates.isTransient(SqlStates.of(failureInside));
        }
        return SqlStates.isTransient(SqlStates.of(thrown)) || isInDoubt(thrown);
    }
}
