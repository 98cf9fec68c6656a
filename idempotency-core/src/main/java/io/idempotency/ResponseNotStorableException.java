package io.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The response of the method cannot be stored so that a replay would return the same. Thrown before the commit: the
 * effect is rolled back with the claim.
 */
public final class ResponseNotStorableException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent whose response it was
     * @param reason what is wrong with the response, and what to do
     * @param cause why it could not be encoded or read back, if that was the reason
     */
    public ResponseNotStorableException(Intent intent, String reason, @Nullable Throwable cause) {
        super(intent, "The response to the " + intent + " cannot be stored: " + reason, cause);
    }
}
