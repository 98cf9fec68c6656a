package io.idempotency;

/**
 * Thrown if the caller of a request is not known, but keys are for known callers only. Unknown callers would share
 * their keys.
 */
public final class MissingCallerException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the problem, and what to do
     */
    public MissingCallerException(String message) {
        super(null, message);
    }
}
