package io.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Thrown before the commit if a response is too large to be stored, or a replay of it would not be the same as the response
 * itself. The transaction of the call is rolled back; what a leased call has done outside of it remains.
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
