package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction of a {@link PipelinedTransactionManager}, with what is to travel with its COMMIT. Bound under the holder
 * of its connection, which tells it from those of the thread that are suspended.
 */
public final class PipelinedTransaction {

    private @Nullable PipelinedCompletion completion;

    private @Nullable RuntimeException commitFailure;

    private PipelinedTransaction() {}

    public static void begin(ConnectionHolder holder) {
        TransactionSynchronizationManager.bindResource(holder, new PipelinedTransaction());
    }

    /** {@code null} if another manager began the transaction. */
    public static @Nullable PipelinedTransaction of(ConnectionHolder holder) {
        return (PipelinedTransaction) TransactionSynchronizationManager.getResource(holder);
    }

    /** Before anything in the transaction that would look for what is not written yet. */
    public static void sendEarly(ConnectionHolder holder, Connection connection) {
        PipelinedTransaction transaction = of(holder);
        if (transaction != null && transaction.completion != null) {
            transaction.completion.sendEarly(connection);
        }
    }

    /** After which there is nothing left to roll back. */
    public static @Nullable RuntimeException commitFailure(ConnectionHolder holder) {
        PipelinedTransaction transaction = of(holder);
        return transaction == null ? null : transaction.commitFailure;
    }

    public static void end(ConnectionHolder holder) {
        PipelinedTransaction transaction =
                (PipelinedTransaction) TransactionSynchronizationManager.unbindResourceIfPossible(holder);
        if (transaction != null) {
            transaction.discard();
        }
    }

    public void commitWith(PipelinedCompletion waiting) {
        discard();
        completion = waiting;
    }

    public @Nullable PipelinedCompletion completion() {
        return completion;
    }

    public void commitFailed(RuntimeException failure) {
        commitFailure = failure;
    }

    public void discard() {
        if (completion != null) {
            completion.close();
            completion = null;
        }
    }
}
