package io.idempotency;

/** The key expression gave no key. The method did not run and the database was not touched. */
public final class MissingIdempotencyKeyException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what was missing and what to do
     */
    public MissingIdempotencyKeyException(String message) {
        super(null, message);
    }
}
