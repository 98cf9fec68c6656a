package io.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Thrown before the commit if a replay of the response would not be the same as the response itself. The effect is
 * rolled back with the claim.
 */
public final class ResponseNotStorableException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent of the response
     * @param reason the problem with the response, and what to do
     * @param cause the failure to write it or to read it back, if any
     */
    public ResponseNotStorableException(Intent intent, String reason, @Nullable Throwable cause) {
        super(intent, "The response to the " + intent + " cannot be stored: " + reason, cause);
    }
}
