package io.idempotency.internal.inbox;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * The result of claiming a message in the inbox.
 *
 * @param kind the kind of the result, which determines which other components are set
 * @param failedBefore number of deliveries of the message that have failed; 0 unless it is {@link Kind#NEW}
 * @param claim the claim of the message; {@code null} unless it is {@link Kind#NEW}
 * @param expectedVersion the version that must come next; 0 unless there is a {@link Kind#GAP}
 * @param waitEnded the error that ended the wait; {@code null} unless it is {@link Kind#IN_PROGRESS}
 */
public record InboxResult(
        Kind kind,
        int failedBefore,
        @Nullable InboxClaim claim,
        long expectedVersion,
        @Nullable SQLException waitEnded) {

    /** The kind of a result. */
    public enum Kind {

        /** The message is claimed, and is to be handled. */
        NEW,

        /** The message was handled before. */
        DUPLICATE,

        /** A newer message of its stream, or the one of this version, was handled before. */
        LATE,

        /** Its id was handled before, with another payload. */
        CONFLICT,

        /** An older message of its stream must be handled first. */
        GAP,

        /** Another transaction is handling it, or another message of its stream, and did not end within the wait limit. */
        IN_PROGRESS
    }

    /** Returns the number of the delivery that may handle the message, from 1; 0 if it must not be handled. */
    int attempt() {
        return kind == Kind.NEW ? failedBefore + 1 : 0;
    }

    /** Returns the result for a message that is claimed. */
    public static InboxResult taken(int failedBefore, InboxClaim claim) {
        return new InboxResult(Kind.NEW, failedBefore, claim, 0, null);
    }

    /** Returns a result that has no details. */
    public static InboxResult of(Kind kind) {
        return new InboxResult(kind, 0, null, 0, null);
    }

    /** Returns the result for a message that came before an older one of its stream. */
    public static InboxResult gap(long expectedVersion) {
        return new InboxResult(Kind.GAP, 0, null, expectedVersion, null);
    }

    /** Returns the result for a message that another transaction is handling. */
    public static InboxResult inProgress(SQLException waitEnded) {
        return new InboxResult(Kind.IN_PROGRESS, 0, null, 0, waitEnded);
    }
}
