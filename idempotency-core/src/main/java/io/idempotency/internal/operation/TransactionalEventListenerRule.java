package io.idempotency.internal.operation;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.TransactionAttribute;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * The rule that a listener for events of transactions does not join the transaction whose event it gets: each call would be refused,
 * and Spring only logs that after the commit, so that the event would be lost.
 */
final class TransactionalEventListenerRule {

    void check(IdempotentOperation operation, @Nullable TransactionAttribute transaction, boolean isAsync) {
        TransactionalEventListener listener =
                AnnotatedElementUtils.findMergedAnnotation(operation.method(), TransactionalEventListener.class);
        if (listener == null || isAsync) {
            return;
        }
        if (operation.options().mode().commitsClaimFirst()) {
            throw new InvalidIdempotentMethodException(
                    "The leased method " + operation.describe()
                            + " is a @TransactionalEventListener, which is called while the transaction of its event counts"
                            + " as open, but a lease has to be committed before any transaction: each event would be lost.",
                    "Add @Async (and @EnableAsync), or use the mode TRANSACTIONAL with the propagation REQUIRES_NEW.");
        }
        if (listener.phase() != TransactionPhase.BEFORE_COMMIT && !isRequiresNew(transaction)) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " is a @TransactionalEventListener for the phase "
                            + listener.phase()
                            + ", in which the transaction of its event is over, and no transaction of its own: each event"
                            + " would be lost.",
                    "Use @Transactional(propagation = Propagation.REQUIRES_NEW), @Async (and @EnableAsync), or the phase"
                            + " BEFORE_COMMIT.");
        }
    }

    private static boolean isRequiresNew(@Nullable TransactionAttribute transaction) {
        return transaction != null
                && transaction.getPropagationBehavior() == TransactionDefinition.PROPAGATION_REQUIRES_NEW;
    }
}
