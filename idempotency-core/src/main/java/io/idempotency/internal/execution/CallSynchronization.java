package io.idempotency.internal.execution;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.JoinedTransaction;
import io.idempotency.internal.transaction.SavepointAwareSynchronization;
import io.idempotency.internal.transaction.TransactionTracker;

/** What one call leaves to be done when its transaction ends: the report becomes certain, the key is held no longer. */
final class CallSynchronization extends SavepointAwareSynchronization {

    private final CallExecution execution;

    private final ClaimStore store;

    private KeyOwnership.@Nullable HeldKey held;

    private @Nullable Connection connection;

    private boolean endAnnounced;

    private CallSynchronization(CallExecution execution, ClaimStore store) {
        this.execution = execution;
        this.store = store;
        this.endAnnounced = TransactionTracker.isInnermostOpen();
    }

    static CallSynchronization await(JoinedTransaction transaction, CallExecution execution, ClaimStore store) {
        CallSynchronization end = new CallSynchronization(execution, store);
        TransactionSynchronizationManager.registerSynchronization(end);
        execution.participates(transaction.isOwn());
        return end;
    }

    /** On this one the transaction is. */
    void isOn(Connection transactionsConnection) {
        connection = transactionsConnection;
    }

    void releases(KeyOwnership.HeldKey key) {
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
        execution.undone();
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
        execution.transactionEnded(
                CommitResult.after(status, connection, store), status == STATUS_COMMITTED && endAnnounced);
    }

    private void releaseKey() {
        if (held != null) {
            held.release();
        }
    }
}
