package io.idempotency.internal.fingerprint;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamWriteException;

/** Thrown if a value must not be written. Its message says why, and names classes and members, but no value. */
public final class RefusedPayloadException extends StreamWriteException {

    /** The name of the property that refuses, which is no part of the path to the value. */
    static final String CHECK = "check of the state";

    private static final long serialVersionUID = 1L;

    RefusedPayloadException(String message) {
        super(null, message);
    }

    /** {@return the message, and the path to the value} */
    String describe() {
        String path = getPathReference();
        return getOriginalMessage() + (path.isEmpty() ? "" : " (at " + path + ")");
    }

    @Override
    public JacksonException prependPath(JacksonException.Reference reference) {
        return CHECK.equals(reference.getPropertyName()) ? this : super.prependPath(reference);
    }
}
