package io.idempotency.internal.execution;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.ClaimStore.TransactionState;
import io.idempotency.internal.transaction.FailedCommit;
import io.idempotency.internal.transaction.JoinedTransaction;
import io.idempotency.internal.transaction.SavepointAwareSynchronization;
import io.idempotency.internal.transaction.TransactionTracker;

/** What one call leaves to be done when its transaction ends: the report becomes certain, the key is held no longer. */
final class TransactionEnd extends SavepointAwareSynchronization {

    private final RunningCall running;

    private final ClaimStore store;

    private HeldKeys.@Nullable HeldKey held;

    private @Nullable Connection connection;

    private boolean endAnnounced;

    private TransactionEnd(RunningCall running, ClaimStore store) {
        this.running = running;
        this.store = store;
        this.endAnnounced = TransactionTracker.isInnermostOpen();
    }

    static TransactionEnd await(JoinedTransaction transaction, RunningCall running, ClaimStore store) {
        TransactionEnd end = new TransactionEnd(running, store);
        TransactionSynchronizationManager.registerSynchronization(end);
        running.inTransaction(transaction.isOwn());
        return end;
    }

    /** On this one the transaction is. */
    void isOn(Connection transactionsConnection) {
        connection = transactionsConnection;
    }

    void releases(HeldKeys.HeldKey key) {
        held = key;
    }

    /** First, so that what others do after the commit may use the key. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    protected void undone() {
        releaseKey();
        running.report().undone();
    }

    @Override
    public void beforeCompletion() {
        endAnnounced = true;
    }

    @Override
    public void afterCommit() {
        releaseKey();
    }

    /** Whoever joins a transaction after its commit learns of its end, but was no part of it. */
    @Override
    public void afterCompletion(int status) {
        releaseKey();
        running.transactionEnded(phaseAfter(status));
        running.report().transactionEnded(status == STATUS_COMMITTED && endAnnounced);
    }

    /**
     * Spring takes an exception of its own that leaves a callback before the commit for the answer to a COMMIT. It rolls
     * nothing back then, and its clean-up turns autocommit on, which commits what is open.
     */
    private RunningCall.Phase phaseAfter(int status) {
        if (status == STATUS_COMMITTED) {
            return RunningCall.Phase.COMMITTED;
        }
        // Not asked for after a rollback: a connection that was never used would be fetched for it.
        boolean wasOpen = status == STATUS_UNKNOWN && isOpen();
        boolean isNothingOpen = connection != null && FailedCommit.rollBackUnsent(connection);
        return status == STATUS_ROLLED_BACK || (wasOpen && isNothingOpen)
                ? RunningCall.Phase.ROLLED_BACK
                : RunningCall.Phase.UNKNOWN;
    }

    private boolean isOpen() {
        try {
            return connection != null
                    && !connection.isClosed()
                    && store.transactionState(connection) != TransactionState.ENDED;
        } catch (SQLException | RuntimeException lost) {
            return false;
        }
    }

    private void releaseKey() {
        if (held != null) {
            held.release();
        }
    }
}
