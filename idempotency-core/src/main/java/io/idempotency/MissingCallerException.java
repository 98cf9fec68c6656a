package io.idempotency;

/** The caller of a request is not known, but keys are for known callers only: those of unknown ones would be everybody's. */
public final class MissingCallerException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what to do
     */
    public MissingCallerException(String message) {
        super(null, message);
    }
}
