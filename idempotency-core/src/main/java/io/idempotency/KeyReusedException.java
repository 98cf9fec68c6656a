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
                "The " + intent + " was used before with another payload: use a new key for a new intent,"
                        + " and repeat a call only with the payload that it had");
    }
}
