package io.idempotency.boot.tracing;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.idempotency.observation.MessageReceived;

/** What is known of a delivery that is observed. */
public final class DeliveryObservationContext extends Observation.Context {

    private final String consumer;

    private @Nullable MessageReceived received;

    DeliveryObservationContext(String consumer) {
        this.consumer = consumer;
    }

    /**
     * Who receives.
     *
     * @return the consumer
     */
    public String getConsumer() {
        return consumer;
    }

    /**
     * How the delivery ended, with its message id: whoever shows that has to ask himself whether he may.
     *
     * @return {@code null} while it is being handled
     */
    public @Nullable MessageReceived getReceived() {
        return received;
    }

    void received(MessageReceived event) {
        received = event;
    }
}
