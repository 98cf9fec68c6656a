package io.idempotency.internal.fingerprint;

import tools.jackson.core.exc.StreamWriteException;

/** Thrown if a value must not be written. Its message says why, and names classes and members, but no value. */
public final class RefusedPayloadException extends StreamWriteException {

    private static final long serialVersionUID = 1L;

    RefusedPayloadException(String message) {
        super(null, message);
    }

    /** {@return the message, and the path to the value} */
    String describe() {
        String path = getPathReference();
        return getOriginalMessage() + (path.isEmpty() ? "" : " (at " + path + ")");
    }
}
