package io.idempotency.internal.transaction;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/** The transaction of the innermost {@code @Transactional} method on this thread. */
public final class InterceptedTransaction extends TransactionAspectSupport {

    private InterceptedTransaction() {}

    /** Returns the status of the transaction; {@code null} if there is none. */
    public static @Nullable TransactionStatus current() {
        TransactionInfo info = currentTransactionInfo();
        return info == null ? null : info.getTransactionStatus();
    }
}
