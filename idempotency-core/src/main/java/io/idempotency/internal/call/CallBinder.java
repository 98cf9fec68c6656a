package io.idempotency.internal.call;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.OutcomePublisher;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationKind;

/**
 * Binds calls of annotated methods of one kind and publishes their outcomes.
 */
public interface CallBinder {

    /** Begins a call in a scope: its end is published, also if binding fails. */
    OutcomePublisher begin(String scope);

    /** {@return the kind of operations whose calls it prepares} */
    OperationKind kind();

    /**
     * Computes key, payload and options of a call that has begun.
     *
     * @param operation an operation of its kind
     * @param target the bean without its proxy
     */
    IdempotentCall bind(IdempotentOperation operation, Object target, @Nullable Object[] arguments);
}
