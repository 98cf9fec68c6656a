package io.idempotency.execution;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Outcome;

/** What one call leaves to be done when its transaction ends: the report becomes certain, the key is held no longer. */
final class TransactionEnd implements TransactionSynchronization {

    private final CallReport report;

    private HeldKeys.@Nullable HeldKey held;

    private TransactionEnd(CallReport report) {
        this.report = report;
    }

    /** Without synchronization, which a transaction manager can have switched off, no outer transaction is awaited. */
    static TransactionEnd await(CallTransaction transaction, CallReport report) {
        TransactionEnd end = new TransactionEnd(report);
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(end);
            if (!transaction.isOwn()) {
                report.joinedOuterTransaction();
            }
        }
        return end;
    }

    void found(Outcome outcome) {
        report.found(outcome);
    }

    void releases(HeldKeys.HeldKey key) {
        held = key;
    }

    @Override
    public void afterCompletion(int status) {
        if (held != null) {
            held.release();
        }
        report.transactionEnded(status);
    }
}
