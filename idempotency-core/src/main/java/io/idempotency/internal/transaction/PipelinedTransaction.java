package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The state of a transaction of a {@link PipelinedTransactionManager}: the completion that is sent with its COMMIT. It is bound to
 * the holder of its connection, because other transactions of the thread may be suspended.
 */
public final class PipelinedTransaction {

    private @Nullable PipelinedCompletion completion;

    private @Nullable RuntimeException commitFailure;

    private PipelinedTransaction() {}

    /** Binds the state of a transaction that begins. */
    public static void begin(ConnectionHolder holder) {
        TransactionSynchronizationManager.bindResource(holder, new PipelinedTransaction());
    }

    /** Returns the state of a transaction; {@code null} if another manager has begun it. */
    public static @Nullable PipelinedTransaction of(ConnectionHolder holder) {
        return (PipelinedTransaction) TransactionSynchronizationManager.getResource(holder);
    }

    /** Writes a waiting completion now, because another claim of the same transaction follows, which must see it. */
    public static void sendEarly(ConnectionHolder holder, Connection connection) {
        PipelinedTransaction transaction = of(holder);
        if (transaction != null && transaction.completion != null) {
            transaction.completion.sendEarly(connection);
        }
    }

    /** Returns the failure of the COMMIT, after which nothing is left to roll back; {@code null} if there is none. */
    public static @Nullable RuntimeException commitFailure(ConnectionHolder holder) {
        PipelinedTransaction transaction = of(holder);
        return transaction == null ? null : transaction.commitFailure;
    }

    /** Removes the state of a transaction that has ended. */
    public static void end(ConnectionHolder holder) {
        PipelinedTransaction transaction =
                (PipelinedTransaction) TransactionSynchronizationManager.unbindResourceIfPossible(holder);
        if (transaction != null) {
            transaction.discard();
        }
    }

    /** Sets the completion that the COMMIT is sent with, in the place of an earlier one. */
    public void commitWith(PipelinedCompletion newCompletion) {
        discard();
        completion = newCompletion;
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
