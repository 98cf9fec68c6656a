package io.idempotency.internal.call;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.operation.IdempotentOperation;

/**
 * Binds calls of annotated methods and publishes their outcomes. Requests and messages have a binder each.
 *
 * @param <P> the publisher, which a binder may tell more than the outcome
 */
public interface CallBinder<P extends OutcomePublisher> {

    /** Begins a call in a scope: its end is published, also if binding fails. */
    P begin(String scope);

    /**
     * Computes key, payload and options of a call that has begun.
     *
     * @param target the bean without its proxy
     */
    IdempotentCall bind(P publisher, IdempotentOperation operation, Object target, @Nullable Object[] arguments);
}
