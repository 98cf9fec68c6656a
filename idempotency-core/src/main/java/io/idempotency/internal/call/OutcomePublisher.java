package io.idempotency.internal.call;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.Outcome;

/** Publishes the outcome of a call to listeners and observers. Requests and messages have different events. */
public interface OutcomePublisher {

    /** Publishes that an attempt has failed and another follows. */
    void retried(IdempotentCall call, int attempts, Throwable failure);

    /** Publishes that a step of a leased call was run and recorded, or that its record was used. Messages have none. */
    default void stepEnded(IdempotentCall call, String name, boolean isReplayed) {}

    /** Tells the observer that the call returns; its outcome may not be certain yet. Called once for each call. */
    void returns(Ended call);

    /** Tells the listener the outcome when it is certain. Called once for each call, before or after it returns. */
    void ended(Ended call);

    /**
     * The end of a call.
     *
     * @param intent the intent; {@code null} if binding failed
     * @param attempt the number of the attempt that ran; 0 if none did
     * @param failure the exception that the caller got; {@code null} if it got a result
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
