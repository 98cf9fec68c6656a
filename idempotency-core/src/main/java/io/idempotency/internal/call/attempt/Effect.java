package io.idempotency.internal.call.attempt;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;

/** What a call protects: a method or other code, and the transaction that it declares. */
@FunctionalInterface
public interface Effect {

    /** Runs the method. */
    @Nullable Object run() throws Throwable;

    /** Runs a part in the transaction that the method declares, and ends that. Code that declares none gives it none. */
    default @Nullable Object within(TransactionalPart part) throws Throwable {
        return part.in(null);
    }

    /** The part of a call that belongs in the declared transaction. */
    @FunctionalInterface
    interface TransactionalPart {

        /**
         * Runs the part.
         *
         * @throws Throwable on failure, which rolls the transaction back
         */
        @Nullable Object in(@Nullable TransactionStatus declared) throws Throwable;
    }
}
