package io.idempotency.internal.call;

/** Creates the first attempt of calls of one kind. The attempts after it claim first. */
@FunctionalInterface
public interface AttemptFactory {

    /** Returns an attempt that has not begun. */
    TransactionalAttempt create(CallExecution execution, CallParts parts);
}
