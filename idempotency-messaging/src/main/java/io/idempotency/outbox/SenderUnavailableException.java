package io.idempotency.outbox;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if no message can be sent at the moment, for example because the broker cannot be reached. If no message of a
 * batch could be sent, the relay pauses and these failures do not count as attempts, so that no message becomes dead in
 * an outage. If other messages could be sent, the failure counts.
 */
public class SenderUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the unreachable system
     * @param cause the cause
     */
    public SenderUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
