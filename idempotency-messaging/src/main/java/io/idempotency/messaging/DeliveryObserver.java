package io.idempotency.messaging;

import io.idempotency.observation.CallObserver.Observed;

/**
 * An observer that is notified before and after each delivery on its thread, so that a trace can contain it. Deliveries of a
 * batch are not observed. An exception of an observer is logged and does not affect the caller.
 */
@FunctionalInterface
public interface DeliveryObserver {

    /** The observer that does nothing. */
    DeliveryObserver NONE = consumer -> Observed.noOp();

    /**
     * Called when a delivery begins, on its thread. Its message id is not known yet.
     *
     * @param consumer consumer of the message
     * @return observer of its end
     */
    Observed<MessageReceived> deliveryStarted(String consumer);
}
