package io.idempotency;

import java.util.Locale;

/** What became of one idempotent call. Every call has exactly one outcome, known after its commit or rollback. */
public enum Outcome {

    /** The key was malformed or missing; the database was not touched. */
    INVALID_KEY,

    /** The key was new: the method ran, and its effect and response were committed together. */
    EXECUTED,

    /** The key had succeeded before: the stored response was returned. */
    REPLAYED,

    /** The key was held by a lease that had expired: it was taken over, and the method ran. */
    RECOVERED,

    /** The last attempt had failed: the method ran again, with the next attempt number. */
    RETRIED,

    /** The intent had failed for good: the recorded failure was thrown, the method did not run. */
    FAILURE_REPLAYED,

    /** Another call held the key for longer than this one would wait. */
    IN_PROGRESS,

    /** The key had been used with another payload. */
    KEY_REUSED,

    /** The key had succeeded before, but its response is no longer stored. */
    RESPONSE_EXPIRED,

    /** The key had succeeded before, but its response cannot be read as today's return type. */
    UNREADABLE,

    /** The key was committed as being processed by a call that ended its transaction itself. */
    ABANDONED,

    /** The lease was lost before the method was done; another call may have taken the key over. */
    LEASE_LOST,

    /** The method failed for good; the failure was recorded and every repeat gets it. */
    FAILED_FINAL,

    /**
     * The method or its commit failed and everything was rolled back; a leased call leaves its row as failed. Also if the
     * database could not be asked what became of a COMMIT, which {@link OutcomeUnknownException} tells.
     */
    FAILED;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /**
     * The stable lower-case name of this outcome, as used in metrics and logs.
     *
     * @return for example {@code key_reused}
     */
    public String tag() {
        return tag;
    }
}
