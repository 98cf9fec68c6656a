package io.idempotency.boot.messaging.tracing;

import io.micrometer.observation.ObservationRegistry;

import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.tracing.OpenObservations;
import io.idempotency.messaging.DeliveryObserver;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.observation.CallObserver.Observed;

/** The observer that makes an observation of each delivery, current while the message is handled. */
final class MicrometerDeliveryObserver implements DeliveryObserver {

    private final OpenObservations observations;

    private final ObservationRegistry registry;

    private final DeliveryConvention convention;

    MicrometerDeliveryObserver(ObservationRegistry registry, KeyDisplay keys) {
        this.registry = registry;
        this.observations = new OpenObservations(registry, keys);
        this.convention = new DeliveryConvention(keys);
    }

    @Override
    public Observed<MessageReceived> deliveryStarted(String consumer) {
        if (registry.isNoop()) {
            return Observed.noOp();
        }
        DeliveryObservationContext context = new DeliveryObservationContext(consumer);
        return observations.open(
                MessagingObservations.DELIVERY.observation(null, convention, () -> context, registry),
                context::received,
                MessageReceived::failure);
    }
}
