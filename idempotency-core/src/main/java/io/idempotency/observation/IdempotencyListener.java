package io.idempotency.observation;

/**
 * A listener for the library's events of calls and tables. It is called on the thread that caused the event, after the
 * commit or rollback, and should return quickly. An exception of a listener is logged and does not affect the caller.
 */
public interface IdempotencyListener {

    /**
     * Called when an idempotent call has ended, exactly once for each call: after its own transaction, or after the
     * outer transaction if it joined one.
     *
     * @param event the call and its outcome
     */
    default void callCompleted(CallCompleted event) {}

    /**
     * Called when an execution of a call has failed, before it is repeated inside of the call.
     *
     * @param event the call and the failure
     */
    default void callRetried(CallRetried event) {}

    /**
     * Called when a step of a leased call was run and recorded, or its record was used.
     *
     * @param event the step
     */
    default void stepEnded(StepEnded event) {}

    /**
     * Called when a purge has deleted expired rows, once for each table with deleted rows.
     *
     * @param event the table and the number of rows
     */
    default void rowsPurged(RowsPurged event) {}

    /**
     * Called with a sample of the library's tables, periodically on each instance.
     *
     * @param event the sample
     */
    default void storageSampled(StorageSampled event) {}
}
