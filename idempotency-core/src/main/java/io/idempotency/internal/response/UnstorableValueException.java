package io.idempotency.internal.response;

/** Thrown by a codec of the library that refuses a response, with the problem for {@code ResponseNotStorableException}. */
public final class UnstorableValueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param problem what is wrong, and what to do; without values */
    public UnstorableValueException(String problem) {
        super(problem);
    }
}
