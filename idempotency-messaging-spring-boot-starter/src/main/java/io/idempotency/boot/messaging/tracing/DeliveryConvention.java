package io.idempotency.boot.messaging.tracing;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.messaging.tracing.MessagingObservations.High;
import io.idempotency.boot.messaging.tracing.MessagingObservations.Low;
import io.idempotency.boot.tracing.IdempotencyObservations;
import io.idempotency.boot.tracing.ObservedFailure;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.messaging.MessageReceived;

/** The names and key values of the observation of a delivery. */
record DeliveryConvention(KeyDisplay keys) implements ObservationConvention<DeliveryObservationContext> {

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof DeliveryObservationContext;
    }

    @Override
    public String getName() {
        return MessagingObservations.DELIVERY_NAME;
    }

    @Override
    public String getContextualName(DeliveryObservationContext context) {
        return "receive " + context.getConsumer();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(DeliveryObservationContext context) {
        MessageReceived received = context.getReceived();
        return KeyValues.of(
                Low.CONSUMER.withValue(context.getConsumer()),
                IdempotencyObservations.Low.OUTCOME.withValue(
                        received == null
                                ? IdempotencyObservations.UNKNOWN
                                : received.outcome().tag()),
                IdempotencyObservations.Low.EXCEPTION.withValue(
                        received == null ? ObservedFailure.NONE : ObservedFailure.nameOf(received.failure())));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(DeliveryObservationContext context) {
        MessageReceived received = context.getReceived();
        String messageId = received == null ? null : received.messageId();
        if (messageId == null) {
            return KeyValues.empty();
        }
        return switch (keys) {
            case SHOWN -> KeyValues.of(High.MESSAGE_ID.withValue(messageId));
            case HASHED ->
                KeyValues.of(High.MESSAGE_ID_HASH.withValue(
                        RequestKey.idOf(new Intent(context.getConsumer(), "", new IdempotencyKey(messageId)))
                                .toString()));
            case OMITTED -> KeyValues.empty();
        };
    }
}
