package io.idempotency.internal.call.attempt;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.internal.transaction.ActiveTransaction;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.JoinedTransaction;
import io.idempotency.internal.transaction.SavepointAwareSynchronization;

/**
 * The synchronization of a call with its transaction: when that ends, or is rolled back to a savepoint before the call, it
 * releases the key and tells the {@link Attempt}.
 */
public final class CallSynchronization extends SavepointAwareSynchronization {

    private final Attempt attempt;

    private KeyOwnership.@Nullable HeldKey heldKey;

    private @Nullable Connection connection;

    private @Nullable Connection driver;

    /** Set if the call joined before the commit. Otherwise the transaction ends without the call being part of it. */
    private boolean joinedBeforeCommit;

    private CallSynchronization(Attempt attempt, boolean joinedBeforeCommit) {
        this.attempt = attempt;
        this.joinedBeforeCommit = joinedBeforeCommit;
    }

    public static CallSynchronization register(JoinedTransaction transaction, Attempt attempt) {
        CallSynchronization synchronization =
                new CallSynchronization(attempt, ActiveTransaction.isKnownOpen(transaction.holder()));
        TransactionSynchronizationManager.registerSynchronization(synchronization);
        attempt.participates(ActiveTransaction.find(transaction.holder()));
        return synchronization;
    }

    public void setConnection(Connection transactionConnection) {
        connection = transactionConnection;
        driver = CommitResult.driverOf(transactionConnection);
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
        attempt.undone();
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
        attempt.transactionEnded(
                CommitResult.after(status, connection, driver), status == STATUS_COMMITTED && joinedBeforeCommit);
    }

    private void releaseKey() {
        if (heldKey != null) {
            heldKey.release();
        }
    }
}
