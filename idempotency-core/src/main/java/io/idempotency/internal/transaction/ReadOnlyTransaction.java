package io.idempotency.internal.transaction;

import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Intent;
import io.idempotency.TransactionMismatchException;

/**
 * One that a caller has declared so, in which nothing can be recorded. A server that takes no writes from anybody, as a standby
 * or after a failover, is another matter: it may take them soon.
 */
public final class ReadOnlyTransaction {

    private static final String WHAT_TO_DO = "Remove readOnly = true from the @Transactional that began it, or use the"
            + " propagation REQUIRES_NEW here";

    private ReadOnlyTransaction() {}

    /** What a failure means for a call, if it means that. */
    public static RuntimeException explain(Intent intent, RuntimeException failure) {
        return isRefused(failure)
                ? because(
                        failure,
                        new TransactionMismatchException(
                                intent,
                                "the open transaction is read-only, so no key can be claimed in it. " + WHAT_TO_DO))
                : failure;
    }

    /** What a failure means for messages, if it means that. */
    public static RuntimeException explain(RuntimeException failure) {
        return isRefused(failure)
                ? because(
                        failure,
                        new TransactionMismatchException("The open transaction is read-only, so messages can neither be"
                                + " published nor claimed in it. " + WHAT_TO_DO))
                : failure;
    }

    private static boolean isRefused(RuntimeException failure) {
        return TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                && SqlStates.isReadOnly(SqlStates.of(failure));
    }

    private static RuntimeException because(RuntimeException failure, TransactionMismatchException refusal) {
        Suppression.add(refusal, failure);
        return refusal;
    }
}
