package io.idempotency.internal.transaction;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A transaction of a thread, and what its manager has told {@link TransactionTracker} of its COMMIT. */
public final class ActiveTransaction {

    private final TransactionExecution transaction;

    private final TransactionTracker tracker;

    private @Nullable ActiveTransaction outer;

    private boolean isCommitting;

    private boolean isCommitSent;

    private boolean isCommitFailureHidden;

    private @Nullable Throwable commitFailure;

    private @Nullable Supplier<RuntimeException> refusalOfOthers;

    private @Nullable RuntimeException refusedOther;

    private @Nullable RowWithCommit rowWithCommit;

    ActiveTransaction(TransactionExecution transaction, @Nullable ActiveTransaction outer, TransactionTracker tracker) {
        this.transaction = transaction;
        this.outer = outer;
        this.tracker = tracker;
    }

    TransactionExecution transaction() {
        return transaction;
    }

    @Nullable ActiveTransaction outer() {
        return outer;
    }

    void setOuter(@Nullable ActiveTransaction newOuter) {
        outer = newOuter;
    }

    /** Returns whether a transaction, perhaps one that participates in another, has its connection in a holder. */
    static boolean isOn(ConnectionHolder holder, TransactionExecution transaction) {
        return transaction instanceof DefaultTransactionStatus status
                && status.hasTransaction()
                && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
                && jdbc.hasConnectionHolder()
                && jdbc.getConnectionHolder() == holder;
    }

    /** Returns whether it is being committed. A nested transaction, which a callback may begin, is over with its outer one. */
    boolean isOver() {
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

    /** Refuses the commit of transactions within this one, until it is being committed itself. */
    void refuseOthers(Supplier<RuntimeException> refusal) {
        refusalOfOthers = refusal;
    }

    /** Throws if a transaction around this one refuses its commit, or if this one has refused another, which was swallowed. */
    void requireNotRefused() {
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
    void commits(boolean isRollbackOnly) {
        isCommitting = true;
        isCommitSent = !isRollbackOnly;
        if (rowWithCommit != null) {
            rowWithCommit.send();
        }
    }

    void commitFailed(Throwable failure) {
        commitFailure = failure;
    }

    /** Notes that a rollback has failed. That after a failed COMMIT hides the failure of the COMMIT from everybody. */
    void rollbackFailed() {
        isCommitFailureHidden = isCommitSent;
    }

    boolean isCommitSent() {
        return isCommitSent;
    }

    /**
     * Returns the failure of the COMMIT; {@code null} if Spring has hidden it.
     *
     * @param thrown the exception that has reached the caller
     */
    @Nullable Throwable commitFailureOr(Throwable thrown) {
        if (isCommitFailureHidden) {
            return null;
        }
        return commitFailure == null ? thrown : commitFailure;
    }
}
