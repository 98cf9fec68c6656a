package io.idempotency.observation;

import java.util.List;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A composite that passes every event to every listener. A failing listener affects neither the others nor the call.
 */
public final class IdempotencyListeners implements IdempotencyListener {

    private static final Logger logger = LoggerFactory.getLogger(IdempotencyListeners.class);

    private final List<IdempotencyListener> listeners;

    /**
     * Creates the composite.
     *
     * @param listeners listeners, called in this order; may be empty
     */
    public IdempotencyListeners(List<? extends IdempotencyListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void callCompleted(CallCompleted event) {
        each(listener -> listener.callCompleted(event));
    }

    @Override
    public void callRetried(CallRetried event) {
        each(listener -> listener.callRetried(event));
    }

    @Override
    public void stepEnded(StepEnded event) {
        each(listener -> listener.stepEnded(event));
    }

    @Override
    public void rowsPurged(RowsPurged event) {
        each(listener -> listener.rowsPurged(event));
    }

    @Override
    public void storageSampled(StorageSampled event) {
        each(listener -> listener.storageSampled(event));
    }

    private void each(Consumer<IdempotencyListener> notification) {
        notifyEach(listeners, notification);
    }

    /**
     * Notifies each listener of one kind, and logs what they throw.
     *
     * @param <L> kind of listener
     * @param listeners listeners, notified in this order
     * @param notification passes an event to a listener
     */
    public static <L> void notifyEach(List<? extends L> listeners, Consumer<L> notification) {
        for (L listener : listeners) {
            try {
                notification.accept(listener);
            } catch (Throwable failure) {
                // Errors too, such as a missing class: the call has ended and must not fail because of a listener.
                logger.warn(
                        "Idempotency listener {} failed", listener.getClass().getName(), failure);
            }
        }
    }
}
