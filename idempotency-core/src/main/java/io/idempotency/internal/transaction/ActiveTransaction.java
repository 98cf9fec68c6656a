package io.idempotency.internal.transaction;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.CollectionUtils;

/**
 * A transaction of a thread, and what its manager has told of its COMMIT. In callbacks after its commit Spring still shows a
 * transaction as open, and what is written there may be lost. Immediately before the COMMIT the checks of {@link CommitGuard} and
 * {@link RollbackGuard} are made, and {@link RowWithCommit} is sent.
 */
public final class ActiveTransaction {

    private static final ThreadLocal<@Nullable ActiveTransaction> INNERMOST = new ThreadLocal<>();

    private final TransactionExecution transaction;

    private final Tracker tracker;

    private @Nullable ActiveTransaction outer;

    private boolean isCommitting;

    private boolean isCommitSent;

    private boolean isCommitFailureHidden;

    private @Nullable Throwable commitFailure;

    private @Nullable Supplier<RuntimeException> refusalOfOthers;

    private @Nullable RuntimeException refusedOther;

    private @Nullable RowWithCommit rowWithCommit;

    private ActiveTransaction(TransactionExecution transaction, @Nullable ActiveTransaction outer, Tracker tracker) {
        this.transaction = transaction;
        this.outer = outer;
        this.tracker = tracker;
    }

    /** Tracks the transactions of a manager. */
    public static void track(ConfigurableTransactionManager manager) {
        manager.addListener(new Tracker(manager));
    }

    /**
     * Returns the transaction of this thread whose connection is in a holder. A thread may have others, some of which are suspended.
     *
     * @return {@code null} if its manager has not reported its begin
     */
    public static @Nullable ActiveTransaction find(ConnectionHolder holder) {
        for (ActiveTransaction active = innermost(); active != null; active = active.outer) {
            if (isOn(holder, active.transaction)) {
                return active;
            }
        }
        return null;
    }

    /** Returns whether a transaction is known to be in its commit, so that nothing more can be written in it. */
    public static boolean isKnownOver(ConnectionHolder holder) {
        ActiveTransaction active = find(holder);
        return active != null && active.isOver();
    }

    /** Returns whether a transaction is known, and is not being committed yet. */
    public static boolean isKnownOpen(ConnectionHolder holder) {
        ActiveTransaction active = find(holder);
        return active != null && !active.isOver();
    }

    /**
     * Refuses, until a transaction of this thread has ended, the commit of those that are begun within it, because they would stay if
     * it is undone. If that exception is swallowed, the transaction itself cannot commit.
     */
    public static void refuseOtherCommits(TransactionExecution transaction, Supplier<RuntimeException> refusal) {
        ActiveTransaction active = find(transaction);
        if (active != null) {
            active.refusalOfOthers = refusal;
        }
    }

    /**
     * Returns whether the transaction of a holder is marked rollback-only by its status, or by the status of the method that has
     * started it.
     */
    static boolean isMarked(ConnectionHolder holder) {
        ActiveTransaction active = find(holder);
        TransactionStatus intercepted = intercepted();
        return (active != null && active.transaction.isRollbackOnly())
                || (intercepted != null && isOn(holder, intercepted) && intercepted.isRollbackOnly());
    }

    /** Returns the status of the transaction of the innermost {@code @Transactional} method on this thread; null if there is none. */
    static @Nullable TransactionStatus intercepted() {
        return Intercepted.current();
    }

    /** Forgets the transactions of this thread that have ended. If a row with its COMMIT has failed, Spring tells no listener of the end. */
    public static void forgetEnded() {
        innermost();
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

    private static @Nullable ActiveTransaction find(TransactionExecution transaction) {
        ActiveTransaction active = INNERMOST.get();
        while (active != null && active.transaction != transaction) {
            active = active.outer;
        }
        return active;
    }

    /** Returns whether a transaction, perhaps one that participates in another, has its connection in a holder. */
    private static boolean isOn(ConnectionHolder holder, TransactionExecution transaction) {
        return transaction instanceof DefaultTransactionStatus status
                && status.hasTransaction()
                && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
                && jdbc.hasConnectionHolder()
                && jdbc.getConnectionHolder() == holder;
    }

    /** Returns whether it is being committed. A nested transaction, which a callback may begin, is over with its outer one. */
    private boolean isOver() {
        return isCommitting || (!transaction.isNewTransaction() && outer != null && outer.isOver());
    }

    /**
     * Lets a row be inserted in the message of the COMMIT, after all checks and callbacks before that.
     *
     * @return {@code false} if the manager may do something between its listeners and its COMMIT, so that the row is not inserted
     */
    public boolean commitWith(RowWithCommit row) {
        if (!tracker.isFollowedByCommit()) {
            return false;
        }
        rowWithCommit = row;
        return true;
    }

    /** Throws if a transaction around this one refuses its commit, or if this one has refused another, which was swallowed. */
    private void requireNotRefused() {
        if (refusedOther != null) {
            throw refusedOther;
        }
        if (rowWithCommit != null) {
            rowWithCommit.requireCommittable(transaction);
        }
        if (transaction.isNewTransaction() && !transaction.isReadOnly()) {
            for (ActiveTransaction around = outer; around != null; around = around.outer) {
                around.refuseOther();
            }
        }
    }

    private void refuseOther() {
        if (refusalOfOthers != null && !isCommitting) {
            refusedOther = refusalOfOthers.get();
            throw refusedOther;
        }
    }

    /** Notes that the manager commits now. A JPA manager rolls back a transaction that is rollback-only. */
    private void commits(boolean isRollbackOnly) {
        isCommitting = true;
        isCommitSent = !isRollbackOnly;
        if (rowWithCommit != null) {
            rowWithCommit.send();
        }
    }

    boolean isCommitSent() {
        return isCommitSent;
    }

    /** Returns the failure of the COMMIT; {@code null} if Spring has hidden it. */
    @Nullable Throwable commitFailureOr(Throwable thrown) {
        if (isCommitFailureHidden) {
            return null;
        }
        return commitFailure == null ? thrown : commitFailure;
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

    /** The listener of a manager, which keeps the active transactions of each thread and makes the last checks. */
    private static final class Tracker implements TransactionExecutionListener {

        private final ConfigurableTransactionManager manager;

        Tracker(ConfigurableTransactionManager manager) {
            this.manager = manager;
        }

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure == null) {
                bind(new ActiveTransaction(transaction, innermost(), this));
            }
        }

        /**
         * Makes the last checks, after all beforeCommit callbacks. The synchronizations of the thread belong to this transaction only if
         * it has begun them, which a nested transaction with a savepoint has not.
         */
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            boolean isRollbackOnly =
                    transaction instanceof DefaultTransactionStatus status && status.isGlobalRollbackOnly();
            if (transaction instanceof DefaultTransactionStatus status
                    && status.isNewSynchronization()
                    && TransactionSynchronizationManager.isSynchronizationActive()) {
                refuseCommit(isRollbackOnly);
            }
            ActiveTransaction active = find(transaction);
            if (active != null) {
                active.requireNotRefused();
                active.commits(isRollbackOnly);
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            ActiveTransaction active = find(transaction);
            if (active != null && failure != null) {
                active.commitFailure = failure;
            }
            remove(transaction);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            ActiveTransaction active = find(transaction);
            if (active != null && failure != null) {
                // The failure of a COMMIT before it is hidden from everybody.
                active.isCommitFailureHidden = active.isCommitSent;
            }
            remove(transaction);
        }

        /**
         * Returns whether the manager, after this listener, sends the COMMIT and nothing else. JPA managers flush then, other classes are
         * not known, and a listener after this one may write.
         */
        boolean isFollowedByCommit() {
            return (manager.getClass() == JdbcTransactionManager.class
                            || manager.getClass() == DataSourceTransactionManager.class)
                    && CollectionUtils.lastElement(List.copyOf(manager.getTransactionExecutionListeners())) == this;
        }

        /** Skips CommitGuards in a transaction that is rollback-only, because the commit of a JPA manager throws its own exception. */
        private static void refuseCommit(boolean isRollbackOnly) {
            for (TransactionSynchronization callback : TransactionSynchronizationManager.getSynchronizations()) {
                if (callback instanceof RollbackGuard rollbackGuard) {
                    rollbackGuard.refuseCommit(isRollbackOnly);
                } else if (callback instanceof CommitGuard commitGuard && !isRollbackOnly) {
                    commitGuard.requireCommittable();
                }
            }
        }
    }

    /** Gives access to the transaction that Spring keeps for a method. */
    private static final class Intercepted extends TransactionAspectSupport {

        static @Nullable TransactionStatus current() {
            TransactionInfo info = currentTransactionInfo();
            return info == null ? null : info.getTransactionStatus();
        }
    }
}
