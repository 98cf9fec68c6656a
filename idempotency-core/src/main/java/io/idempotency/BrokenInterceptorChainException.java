package io.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the interceptors of an idempotent method did not run in their order. The call would have been unprotected,
 * or its result would not be the method's.
 */
public final class BrokenInterceptorChainException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent of the call, if one was bound
     * @param message the problem, and what to do
     */
    public BrokenInterceptorChainException(@Nullable Intent intent, String message) {
        super(intent, message);
    }
}
