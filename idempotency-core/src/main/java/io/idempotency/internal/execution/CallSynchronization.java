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

/**
 * The synchronization of a call with its transaction: when that ends, or is rolled back to a savepoint before the call, it
 * releases the key and tells the {@link CallExecution}.
 */
final class CallSynchronization extends SavepointAwareSynchronization {

    private final CallExecution execution;

    private final ClaimStore store;

    private KeyOwnership.@Nullable HeldKey heldKey;

    private @Nullable Connection connection;

    /** Set if the call joined before the commit. Otherwise the transaction ends without the call being part of it. */
    private boolean joinedBeforeCommit;

    private CallSynchronization(CallExecution execution, ClaimStore store) {
        this.execution = execution;
        this.store = store;
        this.joinedBeforeCommit = TransactionTracker.isInnermostOpen();
    }

    static CallSynchronization register(JoinedTransaction transaction, CallExecution execution, ClaimStore store) {
        CallSynchronization synchronization = new CallSynchronization(execution, store);
        TransactionSynchronizationManager.registerSynchronization(synchronization);
        execution.participates(transaction.isOwn());
        return synchronization;
    }

    void setConnection(Connection transactionConnection) {
        connection = transactionConnection;
    }

    void setHeldKey(KeyOwnership.HeldKey key) {
        heldKey = key;
    }

    /** Runs first, so that other callbacks after the commit may use the key. */
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
        joinedBeforeCommit = true;
    }

    @Override
    public void afterCommit() {
        releaseKey();
    }

    @Override
    public void afterCompletion(int status) {
        releaseKey();
        execution.transactionEnded(
                CommitResult.after(status, connection, store), status == STATUS_COMMITTED && joinedBeforeCommit);
    }

    private void releaseKey() {
        if (heldKey != null) {
            heldKey.release();
        }
    }
}
