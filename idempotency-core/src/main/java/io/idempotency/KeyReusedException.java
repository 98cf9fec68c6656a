package io.idempotency;

/**
 * Thrown if the key was used before with another payload. The method did not run, and the stored response is not
 * returned, because it belongs to another request.
 */
public final class KeyReusedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent whose payload differs
     */
    public KeyReusedException(Intent intent) {
        super(
                intent,
                "The " + intent + " was used before with another payload, and that call may have had its"
                        + " effect: repeat it only with the payload that it had");
    }
}
