package io.idempotency;

/** Thrown at start-up if an annotated method cannot be made idempotent. */
public final class InvalidIdempotentMethodException extends IdempotencyStartupException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param problem the problem and its method; a sentence
     * @param action the change to make; a sentence
     */
    public InvalidIdempotentMethodException(String problem, String action) {
        super(problem, action);
    }
}
