package io.idempotency.internal.call.attempt;

/** Publishes the outcome of a call to listeners and observers. Requests and messages have different events. */
public interface OutcomePublisher {

    /** Publishes that an attempt has failed and another follows. */
    void retried(IdempotentCall call, int attempts, Throwable failure);

    /** Publishes that a step of a leased call was run and recorded, or that its record was used. Messages have none. */
    default void stepEnded(IdempotentCall call, String name, boolean isReplayed) {}

    /** Tells the observer that the call returns; its outcome may not be certain yet. Called once for each call. */
    void returns(CallExecution.Ended call);

    /** Tells the listener the outcome when it is certain. Called once for each call, before or after it returns. */
    void ended(CallExecution.Ended call);
}
