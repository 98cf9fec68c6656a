package io.idempotency.messaging;

import java.util.List;
import java.util.function.Consumer;

import io.idempotency.observation.IdempotencyListeners;

/**
 * A composite that passes every event to every listener. A failing listener affects neither the others nor the delivery.
 */
public final class MessagingListeners implements MessagingListener {

    private final List<MessagingListener> listeners;

    /**
     * Creates the composite.
     *
     * @param listeners listeners, called in this order; may be empty
     */
    public MessagingListeners(List<? extends MessagingListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void messageReceived(MessageReceived event) {
        each(listener -> listener.messageReceived(event));
    }

    @Override
    public void deliveryRetried(DeliveryRetried event) {
        each(listener -> listener.deliveryRetried(event));
    }

    @Override
    public void messageSent(MessageSent event) {
        each(listener -> listener.messageSent(event));
    }

    @Override
    public void messageSendFailed(MessageSendFailed event) {
        each(listener -> listener.messageSendFailed(event));
    }

    @Override
    public void outboxSampled(OutboxSampled event) {
        each(listener -> listener.outboxSampled(event));
    }

    @Override
    public void partitionsSampled(PartitionSample event) {
        each(listener -> listener.partitionsSampled(event));
    }

    private void each(Consumer<MessagingListener> notification) {
        IdempotencyListeners.notifyEach(listeners, notification);
    }
}
