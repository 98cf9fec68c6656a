package io.idempotency;

import org.jspecify.annotations.Nullable;

/** Thrown if the key or the caller is malformed. The method did not run and the database was not accessed. */
public final class InvalidIdempotencyKeyException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the problem, and what to do
     */
    public InvalidIdempotencyKeyException(String message) {
        this(message, null);
    }

    /**
     * Creates the exception.
     *
     * @param message the problem, and what to do
     * @param cause the failure of the key expression
     */
    public InvalidIdempotencyKeyException(String message, @Nullable Throwable cause) {
        super(null, message, cause);
    }
}
