package io.idempotency.internal.transaction;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A listener of transaction managers that keeps the active transactions of each thread, and which of them are being committed. In
 * callbacks after its commit Spring still shows a transaction as open, and what is written there may be lost. The listener also
 * makes the checks of {@link CommitGuard} and {@link RollbackGuard} immediately before the COMMIT.
 */
public final class TransactionTracker implements TransactionExecutionListener {

    private static final ThreadLocal<@Nullable ActiveTransaction> INNERMOST = new ThreadLocal<>();

    /** Returns whether the innermost transaction of this thread is being committed, so that nothing more can be written in it. */
    public static boolean isInnermostOver() {
        ActiveTransaction active = innermost();
        return active != null && active.isOver();
    }

    /** Returns whether the innermost transaction of this thread is known, and is not being committed yet. */
    public static boolean isInnermostOpen() {
        ActiveTransaction active = innermost();
        return active != null && !active.isOver();
    }

    /**
     * Refuses, until a transaction of this thread has ended, the commit of those that are begun within it, because they would stay if
     * it is undone. If that exception is swallowed, the transaction itself cannot commit.
     *
     * @param transaction the transaction, whose manager has this listener
     * @param refusal the exception
     */
    public static void refuseOtherCommits(TransactionExecution transaction, Supplier<RuntimeException> refusal) {
        for (ActiveTransaction active = INNERMOST.get(); active != null; active = active.outer) {
            if (active.transaction == transaction) {
                active.refusalOfOthers = refusal;
            }
        }
    }

    private static @Nullable ActiveTransaction innermost() {
        ActiveTransaction active = INNERMOST.get();
        // Removes transactions whose manager did not report their end.
        while (active != null && active.transaction.isCompleted()) {
            active = active.outer;
            bind(active);
        }
        return active;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null) {
            bind(new ActiveTransaction(transaction, INNERMOST.get()));
        }
    }

    /**
     * Makes the last checks, after all beforeCommit callbacks. The synchronizations of the thread belong to this transaction only if
     * it has begun them, which a nested transaction with a savepoint has not.
     */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (transaction instanceof DefaultTransactionStatus status
                && status.isNewSynchronization()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            refuseCommit(status.isGlobalRollbackOnly());
        }
        boolean isWithin = false;
        for (ActiveTransaction active = INNERMOST.get(); active != null; active = active.outer) {
            if (active.transaction == transaction) {
                active.requireNoneRefused();
                active.isCommitting = true;
                isWithin = transaction.isNewTransaction() && !transaction.isReadOnly();
            } else if (isWithin) {
                active.refuseOther();
            }
        }
    }

    /** Skips CommitGuards in a transaction that is rollback-only, because the commit of a JPA manager throws its own exception. */
    private static void refuseCommit(boolean isRollbackOnly) {
        for (TransactionSynchronization callback : TransactionSynchronizationManager.getSynchronizations()) {
            if (callback instanceof RollbackGuard rollbackGuard) {
                rollbackGuard.refuseCommit();
            } else if (callback instanceof CommitGuard commitGuard && !isRollbackOnly) {
                commitGuard.requireCommittable();
            }
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        remove(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        remove(transaction);
    }

    private static void remove(TransactionExecution transaction) {
        ActiveTransaction inner = null;
        for (ActiveTransaction active = INNERMOST.get(); active != null; active = active.outer) {
            if (active.transaction != transaction) {
                inner = active;
            } else if (inner == null) {
                bind(active.outer);
            } else {
                inner.outer = active.outer;
            }
        }
    }

    private static void bind(@Nullable ActiveTransaction innermost) {
        if (innermost == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(innermost);
        }
    }

    /** An element of the stack of transactions of a thread. */
    private static final class ActiveTransaction {

        private final TransactionExecution transaction;

        private @Nullable ActiveTransaction outer;

        private boolean isCommitting;

        private @Nullable Supplier<RuntimeException> refusalOfOthers;

        private @Nullable RuntimeException refused;

        private ActiveTransaction(TransactionExecution transaction, @Nullable ActiveTransaction outer) {
            this.transaction = transaction;
            this.outer = outer;
        }

        private void refuseOther() {
            if (refusalOfOthers != null && !isCommitting) {
                refused = refusalOfOthers.get();
                throw refused;
            }
        }

        private void requireNoneRefused() {
            if (refused != null) {
                throw refused;
            }
        }

        /** Returns whether it is being committed. A nested transaction, which a callback may begin, is over with its outer one. */
        private boolean isOver() {
            return isCommitting || (!transaction.isNewTransaction() && outer != null && outer.isOver());
        }
    }
}
