package io.idempotency;

/** Thrown if the key expression gave no key. The method did not run and the database was not accessed. */
public final class MissingIdempotencyKeyException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final String valueName;

    /**
     * Creates the exception for a key.
     *
     * @param message the problem, and what to do
     */
    public MissingIdempotencyKeyException(String message) {
        this(message, "key");
    }

    /**
     * Creates the exception.
     *
     * @param message the problem, and what to do
     * @param valueName the name of the kind of value that is missing
     */
    public MissingIdempotencyKeyException(String message, String valueName) {
        super(null, message);
        this.valueName = valueName;
    }

    /** {@return the name of the kind of value that is missing: {@code key}, or another one, such as {@code message id}} */
    public String valueName() {
        return valueName;
    }
}
