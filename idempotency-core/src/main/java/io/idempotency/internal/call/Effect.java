package io.idempotency.internal.call;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;

/** What a call protects: a method or other code, and the transaction that it declares. */
@FunctionalInterface
public interface Effect {

    /** Runs the method. */
    @Nullable Object run() throws Throwable;

    /** Works in the transaction that the method declares, and ends that. Code that declares none gives the work none. */
    default @Nullable Object within(Work work) throws Throwable {
        return work.in(null);
    }

    /** The part of a call that belongs into the declared transaction. */
    @FunctionalInterface
    interface Work {

        /**
         * Does the work.
         *
         * @throws Throwable on failure, which rolls the transaction back
         */
        @Nullable Object in(@Nullable TransactionStatus declared) throws Throwable;
    }
}
