package io.idempotency.messaging;

/**
 * A listener for the library's events of messages. It is called on the thread that caused the event, after the commit or
 * rollback, and should return quickly. An exception of a listener is logged and does not affect the caller.
 */
public interface MessagingListener {

    /**
     * Called when a delivery of a message has ended, exactly once for each delivery: after its own transaction, or after the
     * outer transaction if it joined one.
     *
     * @param event the delivery and its outcome
     */
    default void messageReceived(MessageReceived event) {}

    /**
     * Called when an execution of a delivery has failed, before it is repeated inside of the delivery.
     *
     * @param event the delivery and the failure
     */
    default void deliveryRetried(DeliveryRetried event) {}

    /**
     * Called when a message of the outbox was sent, after this was committed.
     *
     * @param event the message
     */
    default void messageSent(MessageSent event) {}

    /**
     * Called when a message of the outbox could not be sent, for each attempt and after it was counted.
     *
     * @param event the message and the failure
     */
    default void messageSendFailed(MessageSendFailed event) {}

    /**
     * Called with a sample of the outbox, periodically on each instance that sends messages.
     *
     * @param event numbers and age of the messages
     */
    default void outboxSampled(OutboxSampled event) {}

    /**
     * Called with a sample of the partitions of a table, periodically on each instance, if handled messages are in
     * partitions.
     *
     * @param event the sample
     */
    default void partitionsSampled(PartitionSample event) {}
}
