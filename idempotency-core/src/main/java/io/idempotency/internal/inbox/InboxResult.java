package io.idempotency.internal.inbox;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * What a delivery onResult.
 *
 * @param kind what is to be done with it
 * @param failedBefore how many deliveries of the message have failed
 * @param transactionId names the transaction that has taken the message, if it is new
 * @param expectedVersion what has to come next, if there is a gap
 * @param waitEnded what ended the wait, if it ended
 */
public record InboxResult(
        Kind kind,
        int failedBefore,
        @Nullable String transactionId,
        long expectedVersion,
        @Nullable SQLException waitEnded) {

    /** What is to be done with a delivery. */
    public enum Kind {

        /** It is ours to handle. */
        NEW,

        /** It was handled before. */
        DUPLICATE,

        /** Something newer of its stream was handled before. */
        LATE,

        /** Its id was handled before, with another payload. */
        CONFLICT,

        /** Something older of its stream has to come first. */
        GAP,

        /** Another transaction is handling it, or its stream. */
        IN_PROGRESS
    }

    /**
     * A message to handle.
     *
     * @param failedBefore how many deliveries of it have failed
     * @param transactionId names the transaction that has taken it
     * @return what a delivery met
     */
    public static InboxResult taken(int failedBefore, String transactionId) {
        return new InboxResult(Kind.NEW, failedBefore, transactionId, 0, null);
    }

    /**
     * Anything else without details.
     *
     * @param kind what it is
     * @return what a delivery met
     */
    public static InboxResult of(Kind kind) {
        return new InboxResult(kind, 0, null, 0, null);
    }

    /**
     * A message that came too early.
     *
     * @param expectedVersion what has to come next
     * @return what a delivery met
     */
    public static InboxResult gap(long expectedVersion) {
        return new InboxResult(Kind.GAP, 0, null, expectedVersion, null);
    }

    /**
     * A message that another transaction is handling.
     *
     * @param waitEnded what ended the wait for it
     * @return what a delivery met
     */
    public static InboxResult inProgress(SQLException waitEnded) {
        return new InboxResult(Kind.IN_PROGRESS, 0, null, 0, waitEnded);
    }
}
