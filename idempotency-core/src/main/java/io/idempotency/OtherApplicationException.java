package io.idempotency;

/**
 * Thrown if a scope, a consumer or a topic that is only known at run time belongs to another application with the same schema:
 * each of the two would take the other's keys and messages for its own. Nothing was done. The message says what to do.
 */
public final class OtherApplicationException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the name, both applications, and what to do
     */
    public OtherApplicationException(String message) {
        super(null, message);
    }
}
