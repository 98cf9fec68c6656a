package io.idempotency.internal.operation;

/** A rule for every idempotent method, checked once at start-up. */
interface OperationRule {

    /**
     * Checks one method.
     *
     * @throws io.idempotency.InvalidIdempotentMethodException if the rule is broken
     */
    void check(IdempotentOperation operation, Class<?> targetClass);
}
