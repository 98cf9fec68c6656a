package io.idempotency.observation;

import java.util.Locale;

/** What became of one delivery of a message. Every delivery has exactly one outcome, known after its commit or rollback. */
public enum MessageOutcome {

    /** The message was new: it was handled, and that was committed with its effect. */
    HANDLED,

    /** The message had been handled before: it was skipped. */
    DUPLICATE,

    /** Something newer of its stream had been handled before: it was skipped. */
    LATE,

    /** Another message with its id had been handled before: it was refused, or skipped if the receiver wants that. */
    CONFLICT,

    /** Something older of its stream has to come first: it was refused. */
    GAP,

    /** Another delivery of the message, or of its stream, took longer than this one would wait. */
    IN_PROGRESS,

    /** Its id, stream or version was malformed or missing; the database was not touched. */
    INVALID_ID,

    /** The receiver or its commit failed, and everything was rolled back. */
    FAILED;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /**
     * The stable lower-case name of this outcome, as used in metrics and logs.
     *
     * @return for example {@code in_progress}
     */
    public String tag() {
        return tag;
    }
}
