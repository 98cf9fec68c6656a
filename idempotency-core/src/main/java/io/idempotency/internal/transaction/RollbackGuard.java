package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.TransactionFailedException;

/**
 * Refuses the commit of a transaction in which something failed, whoever manages it: with JPA the COMMIT of an aborted
 * transaction would report success.
 */
public final class RollbackGuard extends SavepointAwareSynchronization {

    private static final String REFUSED =
            "The transaction was rolled back, because messages could not be claimed or published in it, or a"
                    + " lock not be taken: let that exception leave the method";

    private static final String MARKED =
            "The transaction was rolled back, because a call that joined it before the commit has failed and marked it"
                    + " rollback-only: let that exception leave the callback";

    private final Throwable failure;

    /** Of a transaction that is not marked. */
    private final @Nullable Connection connection;

    /** By the manager, which has looked at its mark before the callbacks. */
    private boolean isDecided;

    private RollbackGuard(Throwable failure, @Nullable Connection connection) {
        this.failure = failure;
        this.connection = connection;
    }

    /** The open transaction of this thread, which is on this connection. */
    public static void by(Throwable failure, Connection connection) {
        TransactionSynchronizationManager.registerSynchronization(new RollbackGuard(failure, connection));
    }

    /** One that is marked rollback-only, which comes too late in a callback before the commit. */
    public static void markedBy(Throwable failure) {
        TransactionSynchronizationManager.registerSynchronization(new RollbackGuard(failure, null));
    }

    /**
     * Refuses a commit that {@link #beforeCommit} has not: callbacks that are registered by one before the commit are not
     * called for that any more.
     */
    public void refuseCommit() {
        if (!isDecided) {
            requireUndone();
        }
    }

    /** First, because nothing that others do in an aborted transaction can succeed. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (isMarked()) {
            isDecided = true;
        } else {
            requireUndone();
        }
    }

    private boolean isMarked() {
        return connection == null;
    }

    /**
     * Not with one of Spring's own exceptions of transactions: it takes them for the answer to a COMMIT, and rolls nothing back
     * before its clean-up turns autocommit on, which commits what is open if no statement has failed.
     */
    private void requireUndone() {
        if (!isUndone()) {
            throw new TransactionFailedException(isMarked() ? MARKED : REFUSED, failure);
        }
    }

    /** Where the failure was such an exception itself, and left a callback. */
    @Override
    public void afterCompletion(int status) {
        if (status != STATUS_COMMITTED && !isUndone() && connection != null) {
            FailedCommit.rollBackUnsent(connection);
        }
    }
}
