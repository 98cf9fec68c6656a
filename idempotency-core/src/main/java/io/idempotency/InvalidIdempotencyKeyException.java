package io.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the key is malformed, or a caller that the application has passed with it. The method did not run and the database was
 * not accessed.
 */
public final class InvalidIdempotencyKeyException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final String valueName;

    /**
     * Creates the exception for a key.
     *
     * @param message the problem, and what to do
     */
    public InvalidIdempotencyKeyException(String message) {
        this(message, "key", null);
    }

    /**
     * Creates the exception.
     *
     * @param message the problem, and what to do
     * @param valueName the name of the kind of value that is malformed
     * @param cause the failure of the expression
     */
    public InvalidIdempotencyKeyException(String message, String valueName, @Nullable Throwable cause) {
        super(null, message, cause);
        this.valueName = valueName;
    }

    /** {@return the name of the kind of value that is malformed: {@code key}, or another one, such as {@code caller} or {@code message id}} */
    public String valueName() {
        return valueName;
    }
}
