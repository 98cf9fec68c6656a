package io.idempotency.observation;

/**
 * Receives the library's events. Called on the thread that caused the event, after the commit or the rollback; it should
 * be quick. What it throws is logged and changes nothing for the caller.
 */
public interface IdempotencyListener {

    /**
     * One idempotent call is over. Emitted exactly once for each call: after its own transaction has ended, or after the
     * outer transaction has, if it joined one.
     *
     * @param event the call and its outcome
     */
    default void callCompleted(CallCompleted event) {}

    /**
     * One delivery of a message is over. Emitted exactly once for each delivery, in the place of {@link #callCompleted}:
     * after its own transaction has ended, or after the outer transaction has, if it joined one.
     *
     * @param event the delivery and its outcome
     */
    default void messageReceived(MessageReceived event) {}

    /**
     * An execution of a call failed and is repeated inside of it. Emitted before the repeat.
     *
     * @param event the call and the failure
     */
    default void callRetried(CallRetried event) {}

    /**
     * An execution of a delivery failed and is repeated inside of it. Emitted before the repeat, in the place of
     * {@link #callRetried}.
     *
     * @param event the delivery and the failure
     */
    default void deliveryRetried(DeliveryRetried event) {}

    /**
     * Expired rows were deleted. Emitted once for each table and purge that deleted any.
     *
     * @param event the table and the number of rows
     */
    default void rowsPurged(RowsPurged event) {}

    /**
     * A message of the outbox was sent. Emitted after the commit of that.
     *
     * @param event the message
     */
    default void messageSent(MessageSent event) {}

    /**
     * A message of the outbox could not be sent. Emitted for each attempt, after it was counted.
     *
     * @param event the message and the failure
     */
    default void messageSendFailed(MessageSendFailed event) {}

    /**
     * A look at what waits in the outbox. Emitted by each instance that sends messages, from time to time.
     *
     * @param event how much waits, and for how long
     */
    default void outboxSampled(OutboxSampled event) {}

    /**
     * A look at the library's tables. Emitted by each instance from time to time.
     *
     * @param event what was seen
     */
    default void storageSampled(StorageSampled event) {}
}
