package io.idempotency.boot.messaging.metrics;

import io.micrometer.core.instrument.MeterRegistry;

import io.idempotency.boot.metrics.ExecutionMeters;
import io.idempotency.messaging.DeliveryRetried;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;

/** The meters of deliveries of messages. */
final class DeliveryMeters implements MessagingListener {

    private final ExecutionMeters deliveries;

    DeliveryMeters(MeterRegistry registry) {
        this.deliveries = new ExecutionMeters(
                registry,
                MessagingMeters.CONSUMER,
                MessagingMeters.INBOX_MESSAGES,
                "Received messages",
                MessagingMeters.INBOX_ATTEMPT_FAILURES,
                MessagingMeters.INBOX_RETRIES);
    }

    @Override
    public void messageReceived(MessageReceived event) {
        deliveries.completed(event.consumer(), event.outcome().tag(), event.duration());
        if (event.outcome() == MessageOutcome.FAILED) {
            deliveries.failed(event.consumer(), event.attempt(), event.failure());
        }
    }

    @Override
    public void deliveryRetried(DeliveryRetried event) {
        deliveries.retried(event.consumer(), event.sqlState());
    }
}
