package io.idempotency.internal.transaction;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.CollectionUtils;

/**
 * A listener of transaction managers that keeps the active transactions of each thread, and which of them are being committed. In
 * callbacks after its commit Spring still shows a transaction as open, and what is written there may be lost. The listener also
 * makes the checks of {@link CommitGuard} and {@link RollbackGuard} immediately before the COMMIT, and sends {@link RowWithCommit}.
 */
public final class TransactionTracker implements TransactionExecutionListener {

    private static final ThreadLocal<@Nullable ActiveTransaction> INNERMOST = new ThreadLocal<>();

    private final ConfigurableTransactionManager manager;

    private TransactionTracker(ConfigurableTransactionManager manager) {
        this.manager = manager;
    }

    /** Tracks the transactions of a manager. */
    public static void track(ConfigurableTransactionManager manager) {
        manager.addListener(new TransactionTracker(manager));
    }

    /**
     * Returns the transaction of this thread whose connection is in a holder. A thread may have others, some of which are suspended.
     *
     * @return {@code null} if its manager has not reported its begin
     */
    public static @Nullable ActiveTransaction find(ConnectionHolder holder) {
        for (ActiveTransaction active = innermost(); active != null; active = active.outer()) {
            if (ActiveTransaction.isOn(holder, active.transaction())) {
                return active;
            }
        }
        return null;
    }

    /** Returns whether a transaction is being committed, so that nothing more can be written in it. */
    public static boolean isOver(ConnectionHolder holder) {
        ActiveTransaction active = find(holder);
        return active != null && active.isOver();
    }

    /** Returns whether a transaction is known, and is not being committed yet. */
    public static boolean isOpen(ConnectionHolder holder) {
        ActiveTransaction active = find(holder);
        return active != null && !active.isOver();
    }

    /**
     * Refuses, until a transaction of this thread has ended, the commit of those that are begun within it, because they would stay if
     * it is undone. If that exception is swallowed, the transaction itself cannot commit.
     *
     * @param refusal the exception
     */
    public static void refuseOtherCommits(TransactionExecution transaction, Supplier<RuntimeException> refusal) {
        ActiveTransaction active = find(transaction);
        if (active != null) {
            active.refuseOthers(refusal);
        }
    }

    private static @Nullable ActiveTransaction innermost() {
        ActiveTransaction active = INNERMOST.get();
        // Removes transactions whose manager did not report their end.
        while (active != null && active.transaction().isCompleted()) {
            active = active.outer();
            bind(active);
        }
        return active;
    }

    private static @Nullable ActiveTransaction find(TransactionExecution transaction) {
        ActiveTransaction active = INNERMOST.get();
        while (active != null && active.transaction() != transaction) {
            active = active.outer();
        }
        return active;
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

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        ActiveTransaction active = find(transaction);
        if (active != null && failure != null) {
            active.commitFailed(failure);
        }
        remove(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        ActiveTransaction active = find(transaction);
        if (active != null && failure != null) {
            active.rollbackFailed();
        }
        remove(transaction);
    }

    private static void remove(TransactionExecution transaction) {
        ActiveTransaction inner = null;
        for (ActiveTransaction active = INNERMOST.get(); active != null; active = active.outer()) {
            if (active.transaction() != transaction) {
                inner = active;
            } else if (inner == null) {
                bind(active.outer());
            } else {
                inner.setOuter(active.outer());
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
}
