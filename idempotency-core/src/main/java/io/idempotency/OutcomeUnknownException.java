package io.idempotency;

import java.time.Duration;

/**
 * Thrown if it is not known whether the call had its effect: its COMMIT is in doubt, or the completion of its lease
 * could not be written, and the database could not be queried in time or a transaction still holds the key, such as one
 * that takes its lease over. A repeat with the same key finds out.
 */
public final class OutcomeUnknownException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /**
     * Creates the exception.
     *
     * @param intent the intent whose effect is in doubt
     * @param retryAfter time to wait before a repeat
     * @param reason the unknown part, and what a repeat does
     * @param cause the failure of the COMMIT or of a statement of the holder; if a query failed, its failure is suppressed in it
     */
    public OutcomeUnknownException(Intent intent, Duration retryAfter, String reason, Throwable cause) {
        super(intent, "It is not known whether the call for the " + intent + " had its effect: " + reason, cause);
        this.retryAfter = retryAfter;
    }

    /** {@return the time that a client should wait before it repeats the call; at least a second} */
    public Duration retryAfter() {
        return retryAfter;
    }
}
