package io.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The payload of a call cannot tell one request from another: it cannot be written as JSON, or it shows nothing of
 * itself to JSON. The method did not run and the database was not touched.
 */
public final class PayloadNotFingerprintableException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what was wrong with the payload and what to do
     * @param cause why it could not be written, if that was the reason
     */
    public PayloadNotFingerprintableException(String message, @Nullable Throwable cause) {
        super(null, message, cause);
    }
}
