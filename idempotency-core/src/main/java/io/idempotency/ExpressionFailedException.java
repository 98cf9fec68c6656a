package io.idempotency;

/**
 * An expression of an annotation does not fit the arguments of its method: the fault of the application and not of the
 * caller.
 */
public final class ExpressionFailedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message which expression of which method, where in it, and what is wrong
     * @param cause what SpEL says
     */
    public ExpressionFailedException(String message, Throwable cause) {
        super(null, message, cause);
    }
}
