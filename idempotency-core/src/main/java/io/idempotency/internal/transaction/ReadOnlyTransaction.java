package io.idempotency.internal.transaction;

import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Intent;
import io.idempotency.TransactionMismatchException;

/**
 * The explanation of failures in a transaction that the application has declared read-only, in which no key can be claimed. A
 * server that is read-only itself, such as a standby, is no such case: it may accept writes soon.
 */
public final class ReadOnlyTransaction {

    private static final String WHAT_TO_DO = "Remove readOnly = true from the @Transactional that began it, or use the"
            + " propagation REQUIRES_NEW here";

    private ReadOnlyTransaction() {}

    /** Returns the exception of a call in a read-only transaction, or the failure if it has another cause. */
    public static RuntimeException explain(Intent intent, RuntimeException failure) {
        return isRefused(failure)
                ? withSuppressed(
                        failure,
                        new TransactionMismatchException(
                                intent,
                                "the open transaction is read-only, so no key can be claimed in it. " + WHAT_TO_DO))
                : failure;
    }

    /** Returns the exception for messages in a read-only transaction, or the failure if it has another cause. */
    public static RuntimeException explain(RuntimeException failure) {
        return isRefused(failure)
                ? withSuppressed(
                        failure,
                        new TransactionMismatchException("The open transaction is read-only, so messages can neither be"
                                + " published nor claimed in it. " + WHAT_TO_DO))
                : failure;
    }

    private static boolean isRefused(RuntimeException failure) {
        return TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                && SqlStates.isReadOnly(SqlStates.of(failure));
    }

    private static RuntimeException withSuppressed(RuntimeException failure, TransactionMismatchException refusal) {
        Suppression.add(refusal, failure);
        return refusal;
    }
}
