package io.idempotency.internal.execution;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.Outcome;

/** Tells listeners and observers what became of a call, as a call or as a message. */
public interface OutcomePublisher {

    /**
     * An attempt has failed, and another follows.
     *
     * @param call that is retried
     * @param attempts that were made
     * @param failure of the last one
     */
    void retried(IdempotentCall call, int attempts, Throwable failure);

    /** The call returns to its caller; its outcome may not be certain yet. Told once for each call. */
    void returns(Ended call);

    /** The outcome is certain. Told once for each call, before or after it returns. */
    void ended(Ended call);

    /**
     * How a call has ended.
     *
     * @param intent the intent; {@code null} if it could not be told
     * @param outcome as far as it is known
     * @param attempt the number of the attempt that ran; 0 if none did
     * @param duration until it returned
     * @param failure what the caller got instead of a result; {@code null} if it got one
     */
    record Ended(
            @Nullable Intent intent,
            Outcome outcome,
            int attempt,
            Duration duration,
            @Nullable Throwable failure) {

        public Ended failed() {
            return new Ended(intent, Outcome.FAILED, attempt, duration, failure);
        }
    }
}
