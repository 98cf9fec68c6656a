package io.idempotency;

import java.time.Duration;

/**
 * Nobody knows whether the call had its effect: its COMMIT was not answered, or the completion of its lease could not be
 * written, and the database could not be asked in time. The same call, repeated with the same key, finds out.
 */
public final class OutcomeUnknownException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /**
     * Creates the exception.
     *
     * @param intent the intent whose effect is in doubt
     * @param retryAfter how long to wait before a repeat
     * @param reason what is not known, and what a repeat does
     * @param cause the first failure, with what kept the database from being asked suppressed in it
     */
    public OutcomeUnknownException(Intent intent, Duration retryAfter, String reason, Throwable cause) {
        super(intent, "It is not known whether the call for the " + intent + " had its effect: " + reason, cause);
        this.retryAfter = retryAfter;
    }

    /**
     * How long a client should wait before it repeats the call.
     *
     * @return at least a second
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
