package io.idempotency.internal.call;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationKind;

/** Prepares calls of annotated methods of one kind. */
public interface CallBinder {

    /** {@return the kind of operations whose calls it prepares} */
    OperationKind kind();

    /**
     * Prepares a call.
     *
     * @param operation an operation of its kind
     * @param target the bean without its proxy
     * @return the call; its key is not evaluated yet, so that errors in it are published as its outcome
     */
    UnboundCall prepare(IdempotentOperation operation, Object target, @Nullable Object[] arguments);
}
