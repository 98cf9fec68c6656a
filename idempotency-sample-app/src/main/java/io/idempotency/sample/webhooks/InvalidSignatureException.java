package io.idempotency.sample.webhooks;

import org.jspecify.annotations.Nullable;

/** A request that its provider did not send, or not now, or not like this. */
public final class InvalidSignatureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With a reason for the log; the sender does not learn it. */
    public InvalidSignatureException(String reason) {
        this(reason, null);
    }

    /** With a reason for the log; the sender does not learn it. */
    public InvalidSignatureException(String reason, @Nullable Throwable cause) {
        super(reason, cause);
    }
}
