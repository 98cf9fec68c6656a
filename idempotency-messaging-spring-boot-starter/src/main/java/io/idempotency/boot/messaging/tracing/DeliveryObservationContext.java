package io.idempotency.boot.messaging.tracing;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.idempotency.messaging.MessageReceived;

/** The context of the observation of a delivery. */
public final class DeliveryObservationContext extends Observation.Context {

    private final String consumer;

    private @Nullable MessageReceived received;

    DeliveryObservationContext(String consumer) {
        this.consumer = consumer;
    }

    /**
     * Returns the consumer of the message.
     *
     * @return the consumer
     */
    public String getConsumer() {
        return consumer;
    }

    /**
     * Returns the outcome of the delivery, with the id of the message. The id may be confidential.
     *
     * @return {@code null} while the message is handled
     */
    public @Nullable MessageReceived getReceived() {
        return received;
    }

    void received(MessageReceived event) {
        received = event;
    }
}
