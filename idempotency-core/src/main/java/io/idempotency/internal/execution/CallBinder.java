package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.operation.IdempotentOperation;

/** Prepares calls of annotated methods: one for requests, another for messages. */
public interface CallBinder {

    /**
     * Prepares a call.
     *
     * @param operation what the annotation says
     * @param target the bean's own object
     * @param arguments of the call
     * @return the call, of which nothing has failed yet
     */
    UnboundCall prepare(IdempotentOperation operation, Object target, @Nullable Object[] arguments);
}
