package io.idempotency.messaging;

import java.util.Locale;

/**
 * The outcome of one delivery of a message. Every delivery has exactly one outcome, known after its commit or rollback.
 */
public enum MessageOutcome {

    /** The message was new: it was handled, and committed with its effect. */
    HANDLED,

    /** The message had been handled before: it was skipped. */
    DUPLICATE,

    /** A message of its version or a newer one of its stream had been handled before: it was skipped. */
    LATE,

    /**
     * Its id had been handled before with another payload: it was refused, or skipped if the receiver is configured so.
     */
    CONFLICT,

    /** An earlier message of its stream is missing: it was refused. */
    GAP,

    /** Another delivery of the message, or of its stream, took longer than the wait timeout. */
    IN_PROGRESS,

    /** Its id, stream or version was malformed or missing; the database was not accessed. */
    INVALID_ID,

    /** The receiver or its commit failed, and everything was rolled back. */
    FAILED;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /**
     * {@return the stable lower-case name of this outcome, as used in metrics and logs, for example
     * {@code in_progress}}
     */
    public String tag() {
        return tag;
    }
}
