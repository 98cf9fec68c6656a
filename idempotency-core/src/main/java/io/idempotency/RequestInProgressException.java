package io.idempotency;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Another call with the same key is still running. Nothing is known about its result yet; the same call may be repeated
 * after {@link #retryAfter()}.
 */
public final class RequestInProgressException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /**
     * Creates the exception.
     *
     * @param intent the intent that is in progress
     * @param retryAfter how long to wait before a repeat
     * @param message how long was waited, and what else is lost with this call
     * @param cause the wait's end as PostgreSQL reported it, if it was asked
     */
    public RequestInProgressException(Intent intent, Duration retryAfter, String message, @Nullable Throwable cause) {
        super(intent, message, cause);
        this.retryAfter = retryAfter;
    }

    /**
     * Creates the exception for a batch of messages.
     *
     * @param retryAfter how long to wait before a repeat
     * @param message how long was waited, and what else is lost with the batch
     * @param cause the wait's end as PostgreSQL reported it
     */
    public RequestInProgressException(Duration retryAfter, String message, @Nullable Throwable cause) {
        super(null, message, cause);
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
