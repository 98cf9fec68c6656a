package io.idempotency.internal.resume;

import io.idempotency.internal.operation.IdempotentOperation;

/** Thrown if this version of a method cannot take the stored arguments of a call, so that another version has to resume it. */
final class OtherVersionException extends Exception {

    private static final long serialVersionUID = 1L;

    OtherVersionException(IdempotentOperation operation, DueCall due, String problem, Throwable cause) {
        super(
                "The " + due.intent() + " cannot be resumed by this version of " + operation.describe() + ", because "
                        + problem,
                cause);
    }
}
