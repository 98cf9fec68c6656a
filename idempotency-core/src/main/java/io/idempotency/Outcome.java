package io.idempotency;

import java.util.Locale;

/** The outcome of one idempotent call. Every call has exactly one outcome, known after its commit or rollback. */
public enum Outcome {

    /** The key was malformed or missing; the database was not accessed. */
    INVALID_KEY,

    /** The key was new: the method ran, and its effect and response were committed together. */
    EXECUTED,

    /** The key had succeeded before: the stored response was returned. */
    REPLAYED,

    /** The key was held by a lease that had expired: it was reclaimed, and the method ran. */
    RECOVERED,

    /** The last attempt had failed: the method ran again, with the next attempt number. */
    RETRIED,

    /** The intent had a final failure: the recorded failure was thrown, and the method did not run. */
    FAILURE_REPLAYED,

    /** Another call held the key for longer than the wait timeout. */
    IN_PROGRESS,

    /** The key had been used with another payload. */
    KEY_REUSED,

    /** The key had succeeded before, but its response is no longer stored. */
    RESPONSE_EXPIRED,

    /** The key had succeeded before, but its response cannot be read as the current return type. */
    UNREADABLE,

    /** An earlier call with the key ended its transaction itself, or was given up, so that its result is not known. */
    ABANDONED,

    /** The lease was lost before the method ended; another call may have reclaimed the key. */
    LEASE_LOST,

    /** The method threw a final failure; it was recorded and every repeat gets it. */
    FAILED_FINAL,

    /**
     * The method or its commit failed and everything was rolled back; a leased call leaves its row as failed. Also the
     * outcome of a call that throws {@link OutcomeUnknownException}.
     */
    FAILED;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /**
     * {@return the stable lower-case name of this outcome, as used in metrics and logs, for example {@code key_reused}}
     */
    public String tag() {
        return tag;
    }
}
