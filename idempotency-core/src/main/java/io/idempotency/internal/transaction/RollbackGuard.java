package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.TransactionFailedException;

/**
 * The synchronization that refuses the commit of a transaction in which work of the library has failed, whatever its manager: a
 * JPA manager would report the COMMIT of an aborted transaction as a success.
 */
final class RollbackGuard extends SavepointAwareSynchronization {

    private static final String REFUSED =
            "The transaction was rolled back, because messages could not be claimed or published in it, or a"
                    + " lock not be taken: let that exception leave the method";

    private static final String MARKED =
            "The transaction was rolled back, because a call that joined it before the commit has failed and marked it"
                    + " rollback-only: let that exception leave the callback";

    private final Throwable failure;

    /** The connection of a transaction that is not marked rollback-only; null for one that is. */
    private final @Nullable Connection connection;

    /** Set if the transaction was marked before the callbacks, so that the manager rolls back by itself. */
    private boolean isLeftToManager;

    private RollbackGuard(Throwable failure, @Nullable Connection connection) {
        this.failure = failure;
        this.connection = connection;
    }

    /** Refuses the commit of the open transaction of this thread, which is on this connection. */
    static void register(Throwable failure, Connection connection) {
        TransactionSynchronizationManager.registerSynchronization(new RollbackGuard(failure, connection));
    }

    /**
     * Refuses the commit of a transaction that is marked rollback-only. The mark alone does not suffice in a beforeCommit callback,
     * because the manager has checked it before.
     */
    static void registerMarked(Throwable failure) {
        TransactionSynchronizationManager.registerSynchronization(new RollbackGuard(failure, null));
    }

    /**
     * Throws if the commit must be refused. {@link #beforeCommit} is not called if another beforeCommit callback has registered this
     * synchronization. A rollback to a savepoint is announced before it is tried: if it has failed, the transaction is still marked.
     *
     * @param isRollbackOnly whether the transaction is marked immediately before its COMMIT
     */
    void refuseCommit(boolean isRollbackOnly) {
        if (!isLeftToManager) {
            if (isRollbackOnly && isMarked()) {
                throw refused();
            }
            requireUndone();
        }
    }

    /** Runs first, because other callbacks can do nothing in an aborted transaction. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (isMarked()) {
            isLeftToManager = true;
        } else {
            requireUndone();
        }
    }

    private boolean isMarked() {
        return connection == null;
    }

    /**
     * Throws unless the failure was undone. The exception is no TransactionException: if a beforeCommit callback throws one, Spring
     * does not roll back, and resetting auto-commit would commit.
     */
    private void requireUndone() {
        if (!isUndone()) {
            throw refused();
        }
    }

    private TransactionFailedException refused() {
        return new TransactionFailedException(isMarked() ? MARKED : REFUSED, failure);
    }

    /** Rolls back if the failure was a TransactionException itself and left a beforeCommit callback. */
    @Override
    public void afterCompletion(int status) {
        if (status != STATUS_COMMITTED && !isUndone() && connection != null) {
            FailedCommit.rollBackUnsent(connection);
        }
    }
}
