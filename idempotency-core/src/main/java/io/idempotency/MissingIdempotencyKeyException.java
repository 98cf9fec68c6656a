package io.idempotency;

/** Thrown if the key expression gave no key. The method did not run and the database was not accessed. */
public final class MissingIdempotencyKeyException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the problem, and what to do
     */
    public MissingIdempotencyKeyException(String message) {
        super(null, message);
    }
}
