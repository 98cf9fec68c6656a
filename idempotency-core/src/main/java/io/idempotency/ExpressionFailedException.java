package io.idempotency;

/**
 * Thrown if an expression of an annotation does not fit the arguments of its method, which is the fault of the
 * application and not of the caller.
 */
public final class ExpressionFailedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the expression, its method, the position in it, and the problem
     * @param cause the failure that SpEL reported
     */
    public ExpressionFailedException(String message, Throwable cause) {
        super(null, message, cause);
    }
}
