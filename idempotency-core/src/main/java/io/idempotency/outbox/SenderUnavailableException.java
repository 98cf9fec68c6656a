package io.idempotency.outbox;

import org.jspecify.annotations.Nullable;

/**
 * Nothing can be sent at the moment, as when the broker cannot be reached. If no message of a batch could be sent, the
 * relay pauses and such failures do not count as attempts, so that an outage gives no message up. If others could, it is
 * this message that cannot, and the failure counts.
 */
public class SenderUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what cannot be reached
     * @param cause what reported it
     */
    public SenderUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
