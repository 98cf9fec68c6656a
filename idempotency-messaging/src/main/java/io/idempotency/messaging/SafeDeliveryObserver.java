package io.idempotency.messaging;

import io.idempotency.observation.CallObserver.Observed;
import io.idempotency.observation.SafeCallObserver;

/** A wrapper that logs the exceptions of an observer, so that they do not fail the delivery. */
public final class SafeDeliveryObserver implements DeliveryObserver {

    private final DeliveryObserver observer;

    private SafeDeliveryObserver(DeliveryObserver observer) {
        this.observer = observer;
    }

    /**
     * Wraps an observer.
     *
     * @param observer an observer that may throw
     * @return an observer that throws nothing
     */
    public static DeliveryObserver of(DeliveryObserver observer) {
        return observer == NONE ? NONE : new SafeDeliveryObserver(observer);
    }

    @Override
    public Observed<MessageReceived> deliveryStarted(String consumer) {
        return SafeCallObserver.started(observer, () -> observer.deliveryStarted(consumer));
    }
}
