package io.idempotency;

/** An annotated method cannot be made idempotent as it stands. Thrown at start-up, before any call. */
public final class InvalidIdempotentMethodException extends IdempotencyStartupException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param problem what is wrong, and with which method; a sentence
     * @param action what to change; a sentence
     */
    public InvalidIdempotentMethodException(String problem, String action) {
        super(problem, action);
    }
}
