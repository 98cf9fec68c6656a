package io.idempotency.internal.outbox;

import org.jspecify.annotations.Nullable;

/** Thrown if this version of the application cannot read what is stored, so that another version has to take it. */
public final class OtherVersionException extends Exception {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param problem what cannot be read and why, as a sentence without its full stop
     * @param cause the cause, without values of the payload; {@code null} if there is none
     */
    public OtherVersionException(String problem, @Nullable Throwable cause) {
        super(problem, cause);
    }
}
