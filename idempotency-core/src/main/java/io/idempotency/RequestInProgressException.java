package io.idempotency;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if another call with the same key is still running. Its result is not known yet; the same call may be repeated
 * after {@link #retryAfter()}.
 */
public final class RequestInProgressException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /**
     * Creates the exception.
     *
     * @param intent the intent that is in progress
     * @param retryAfter time to wait before a repeat
     * @param message length of the wait, and what else is rolled back with this call
     * @param cause the error that PostgreSQL reported for the wait, if any
     */
    public RequestInProgressException(Intent intent, Duration retryAfter, String message, @Nullable Throwable cause) {
        super(intent, message, cause);
        this.retryAfter = retryAfter;
    }

    /**
     * Creates the exception for a batch of messages.
     *
     * @param retryAfter time to wait before a repeat
     * @param message length of the wait, and what else is rolled back with the batch
     * @param cause the error that PostgreSQL reported for the wait
     */
    public RequestInProgressException(Duration retryAfter, String message, @Nullable Throwable cause) {
        super(null, message, cause);
        this.retryAfter = retryAfter;
    }

    /** {@return the time that a client should wait before it repeats the call; at least a second} */
    public Duration retryAfter() {
        return retryAfter;
    }
}
