package io.idempotency.internal.claim;

import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;

/** What a claim found. Each kind is handled by one method of {@link Handler}, so that none can be forgotten. */
public sealed interface Claim {

    /**
     * Hands this claim to the method for its kind.
     *
     * @param handler a method for each kind
     * @return what the method gave
     * @throws Throwable if the method threw it
     */
    @Nullable Object handledBy(Handler handler) throws Throwable;

    /** A method for each kind of claim. */
    interface Handler {

        /**
         * The key is ours: the effect is to be made now.
         *
         * @param claim the number of the attempt
         * @return the result
         * @throws Throwable on failure
         */
        @Nullable Object granted(Granted claim) throws Throwable;

        /**
         * The intent succeeded before.
         *
         * @param claim the stored response
         * @return the result
         * @throws Throwable on failure
         */
        @Nullable Object succeeded(Succeeded claim) throws Throwable;

        /**
         * The intent succeeded before, but its response is no longer stored.
         *
         * @param claim the finding
         * @return the result
         * @throws Throwable on failure
         */
        @Nullable Object responseExpired(ResponseExpired claim) throws Throwable;

        /**
         * Another transaction holds the key and did not end within the limit.
         *
         * @param claim how the wait ended
         * @return the result
         * @throws Throwable on failure
         */
        @Nullable Object inProgress(InProgress claim) throws Throwable;

        /**
         * The key belongs to another payload.
         *
         * @param claim the finding
         * @return the result
         * @throws Throwable on failure
         */
        @Nullable Object keyReused(KeyReused claim) throws Throwable;

        /**
         * The key was committed as being processed, without a lease.
         *
         * @param claim the finding
         * @return the result
         * @throws Throwable on failure
         */
        @Nullable Object abandoned(Abandoned claim) throws Throwable;

        /**
         * A lease that has not expired holds the key.
         *
         * @param claim for how long
         * @return the result
         * @throws Throwable on failure
         */
        @Nullable Object leased(Leased claim) throws Throwable;

        /**
         * The intent failed for good before.
         *
         * @param claim the recorded failure
         * @return the result
         * @throws Throwable on failure
         */
        @Nullable Object failedFinally(FailedFinally claim) throws Throwable;

        /**
         * The key must not be claimed now, for a reason of its own.
         *
         * @param claim the reason
         * @return the result
         * @throws Throwable on failure
         */
        @Nullable Object refused(Refused claim) throws Throwable;
    }

    /**
     * The key is ours.
     *
     * @param attempt the number of this attempt, from 1
     * @param origin in which state the key was found
     */
    record Granted(int attempt, Origin origin) implements Claim {

        /** In which state a key was found that was granted. */
        public enum Origin {

            /** Unknown. */
            NEW,

            /** Its last attempt had failed. */
            FAILED_ATTEMPT,

            /** Held by a lease that had expired. */
            EXPIRED_LEASE
        }

        @Override
        public @Nullable Object handledBy(Handler handler) throws Throwable {
            return handler.granted(this);
        }
    }

    /**
     * A lease that has not expired holds the key.
     *
     * @param remaining how long it will
     */
    record Leased(Duration remaining) implements Claim {
        @Override
        public @Nullable Object handledBy(Handler handler) throws Throwable {
            return handler.leased(this);
        }
    }

    /**
     * The intent failed for good before.
     *
     * @param code as it was recorded
     * @param message as it was recorded
     */
    record FailedFinally(String code, String message) implements Claim {
        @Override
        public @Nullable Object handledBy(Handler handler) throws Throwable {
            return handler.failedFinally(this);
        }
    }

    /**
     * The intent succeeded before.
     *
     * @param responseBody the stored response as JSON text
     */
    record Succeeded(String responseBody) implements Claim {
        @Override
        public @Nullable Object handledBy(Handler handler) throws Throwable {
            return handler.succeeded(this);
        }
    }

    /** The intent succeeded before, but its response is no longer stored. */
    record ResponseExpired() implements Claim {
        @Override
        public @Nullable Object handledBy(Handler handler) throws Throwable {
            return handler.responseExpired(this);
        }
    }

    /**
     * Another transaction held the key until the limit. The own transaction is aborted, or has not begun.
     *
     * @param waitEnded how PostgreSQL ended the wait
     */
    record InProgress(SQLException waitEnded) implements Claim {
        @Override
        public @Nullable Object handledBy(Handler handler) throws Throwable {
            return handler.inProgress(this);
        }
    }

    /** The key belongs to another payload. */
    record KeyReused() implements Claim {
        @Override
        public @Nullable Object handledBy(Handler handler) throws Throwable {
            return handler.keyReused(this);
        }
    }

    /** The key was committed as being processed, without a lease. */
    record Abandoned() implements Claim {
        @Override
        public @Nullable Object handledBy(Handler handler) throws Throwable {
            return handler.abandoned(this);
        }
    }

    /**
     * The key must not be claimed now.
     *
     * @param reason what the caller gets
     */
    record Refused(IdempotencyException reason) implements Claim {

        @Override
        public @Nullable Object handledBy(Handler handler) throws Throwable {
            return handler.refused(this);
        }
    }
}
