package io.idempotency;

import org.jspecify.annotations.Nullable;

/** The key or the caller is malformed. The method did not run and the database was not touched. */
public final class InvalidIdempotencyKeyException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what was wrong and what to do
     */
    public InvalidIdempotencyKeyException(String message) {
        this(message, null);
    }

    /**
     * Creates the exception.
     *
     * @param message what was wrong and what to do
     * @param cause why the key could not be computed
     */
    public InvalidIdempotencyKeyException(String message, @Nullable Throwable cause) {
        super(null, message, cause);
    }
}
