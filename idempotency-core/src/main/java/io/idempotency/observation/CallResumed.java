package io.idempotency.observation;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/**
 * The event that a leased call was resumed without its caller, and that attempt has ended.
 *
 * @param intent intent of the call
 * @param attempt number of the attempt
 * @param result the end of the attempt
 * @param failure exception of the method; {@code null} if there is none
 */
public record CallResumed(
        Intent intent, int attempt, Result result, @Nullable Throwable failure) {

    /** The end of an attempt. */
    public enum Result {

        /** The call has its response. */
        SUCCEEDED,

        /** The call has failed finally. */
        FAILED,

        /** The attempt has failed, and the call will be resumed again. */
        POSTPONED,

        /** The last attempt has failed or did not end, so that the result of the call is not known. An operator has to decide. */
        ABANDONED,

        /** The attempt has lost its lease or the database: another one learns or decides how the call has ended. */
        UNKNOWN
    }
}
