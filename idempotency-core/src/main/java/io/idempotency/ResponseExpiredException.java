package io.idempotency;

/** Thrown if the call succeeded before, but its response is no longer stored. The method is not run a second time. */
public final class ResponseExpiredException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent that had succeeded
     */
    public ResponseExpiredException(Intent intent) {
        super(
                intent,
                "The " + intent + " has succeeded, but its response is no longer stored:"
                        + " read the state of what it created or changed instead of repeating it");
    }
}
