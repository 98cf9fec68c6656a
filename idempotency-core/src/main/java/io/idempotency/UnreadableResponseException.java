package io.idempotency;

/**
 * Thrown if the call succeeded before, but its stored response cannot be read as the current return type. The method is
 * not run a second time.
 */
public final class UnreadableResponseException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent that had succeeded
     * @param type the type that the response was read as
     * @param cause the failure to read it
     */
    public UnreadableResponseException(Intent intent, String type, Throwable cause) {
        super(
                intent,
                "The " + intent + " has succeeded, but its stored response cannot be read as " + type
                        + ": keep response types readable for as long as responses are retained",
                cause);
    }
}
