package io.idempotency.internal.transaction;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Knows the transactions of each thread, the innermost last, and which of them are being committed. In callbacks after its
 * commit a transaction looks as if it were open still; what is written in one is kept or lost by chance. The commit of one
 * that can keep nothing any more is refused.
 */
public final class TransactionTracker implements TransactionExecutionListener {

    private static final ThreadLocal<@Nullable Frame> INNERMOST = new ThreadLocal<>();

    /** Whether the innermost transaction of this thread takes nothing any more. */
    public static boolean isInnermostOver() {
        Frame frame = innermost();
        return frame != null && frame.isOver();
    }

    /** Whether it is known to take something still. */
    public static boolean isInnermostOpen() {
        Frame frame = innermost();
        return frame != null && !frame.isOver();
    }

    private static @Nullable Frame innermost() {
        Frame frame = INNERMOST.get();
        // Those whose manager did not tell their end.
        while (frame != null && frame.transaction.isCompleted()) {
            frame = frame.outer;
            bind(frame);
        }
        return frame;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null) {
            bind(new Frame(transaction, INNERMOST.get()));
        }
    }

    /**
     * After everything that others do before the commit. The callbacks of the thread are those of this transaction only if it
     * has begun them; a nested one, which ends with its savepoint, has not.
     */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (transaction instanceof DefaultTransactionStatus status
                && status.isNewSynchronization()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            refuseCommit(status.isGlobalRollbackOnly());
        }
        for (Frame frame = INNERMOST.get(); frame != null; frame = frame.outer) {
            if (frame.transaction == transaction) {
                frame.isCommitting = true;
            }
        }
    }

    /** JPA's manager goes on to its commit where a participant has failed, and throws an exception of its own there. */
    private static void refuseCommit(boolean isRollbackOnly) {
        for (TransactionSynchronization callback : TransactionSynchronizationManager.getSynchronizations()) {
            if (callback instanceof RollbackGuard doomed) {
                doomed.refuseCommit();
            } else if (callback instanceof CommitGuard guard && !isRollbackOnly) {
                guard.requireCommittable();
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
        Frame inner = null;
        for (Frame frame = INNERMOST.get(); frame != null; frame = frame.outer) {
            if (frame.transaction != transaction) {
                inner = frame;
            } else if (inner == null) {
                bind(frame.outer);
            } else {
                inner.outer = frame.outer;
            }
        }
    }

    private static void bind(@Nullable Frame innermost) {
        if (innermost == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(innermost);
        }
    }

    private static final class Frame {

        private final TransactionExecution transaction;

        private @Nullable Frame outer;

        private boolean isCommitting;

        private Frame(TransactionExecution transaction, @Nullable Frame outer) {
            this.transaction = transaction;
            this.outer = outer;
        }

        /** One that is nested, which may begin in a callback, is over with the one that it is nested in. */
        private boolean isOver() {
            return isCommitting || (!transaction.isNewTransaction() && outer != null && outer.isOver());
        }
    }
}
