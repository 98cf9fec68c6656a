package io.idempotency.internal.call;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.operation.IdempotentOperation;

/** Prepares calls of annotated methods. Requests and messages have a binder each. */
public interface CallBinder {

    /**
     * Prepares a call.
     *
     * @param target the bean without its proxy
     * @return the call; its key is not evaluated yet, so that errors in it are published as its outcome
     */
    UnboundCall prepare(IdempotentOperation operation, Object target, @Nullable Object[] arguments);
}
