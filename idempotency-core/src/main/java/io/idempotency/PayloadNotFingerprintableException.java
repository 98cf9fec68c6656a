package io.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the payload of a call or message cannot be compared with others: it cannot be written as JSON, or a part of its
 * state is not in its JSON, so that another payload would look equal. The method did not run and the database was not
 * accessed.
 */
public final class PayloadNotFingerprintableException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the problem, and what to do
     * @param cause the failure to write it, if any
     */
    public PayloadNotFingerprintableException(String message, @Nullable Throwable cause) {
        super(null, message, cause);
    }
}
