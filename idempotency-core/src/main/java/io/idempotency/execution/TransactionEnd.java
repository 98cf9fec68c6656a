package io.idempotency.execution;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What one call leaves to be done when its transaction ends: the report becomes certain, the key is held no longer. */
final class TransactionEnd implements TransactionSynchronization {

    private final RunningCall running;

    private final LaterSavepoints laterSavepoints = new LaterSavepoints();

    private HeldKeys.@Nullable HeldKey held;

    private boolean endAnnounced;

    private TransactionEnd(RunningCall running) {
        this.running = running;
    }

    static TransactionEnd await(CallTransaction transaction, RunningCall running) {
        TransactionEnd end = new TransactionEnd(running);
        TransactionSynchronizationManager.registerSynchronization(end);
        running.inTransaction(transaction.isOwn());
        return end;
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
    public void savepoint(Object savepoint) {
        laterSavepoints.add(savepoint);
    }

    /** One that was there before the claim takes the claim back. */
    @Override
    public void savepointRollback(Object savepoint) {
        if (!laterSavepoints.contain(savepoint)) {
            releaseKey();
            running.report().undone();
        }
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
        running.transactionEnded(
                switch (status) {
                    case STATUS_COMMITTED -> RunningCall.Phase.COMMITTED;
                    case STATUS_ROLLED_BACK -> RunningCall.Phase.ROLLED_BACK;
                    default -> RunningCall.Phase.UNKNOWN;
                });
        running.report().transactionEnded(status == STATUS_COMMITTED && endAnnounced);
    }

    private void releaseKey() {
        if (held != null) {
            held.release();
        }
    }
}
