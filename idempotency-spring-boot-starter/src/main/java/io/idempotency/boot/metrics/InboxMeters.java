package io.idempotency.boot.metrics;

import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import io.idempotency.observation.DeliveryRetried;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.observation.MessageReceived;

/** Measures deliveries of messages. */
final class InboxMeters implements IdempotencyListener {

    private final BoundedTag consumers = new BoundedTag(IdempotencyMeters.CONSUMER);

    private final MeterProvider<Timer> messages;

    private final AttemptMeters attempts;

    InboxMeters(MeterRegistry registry) {
        this.messages = Timer.builder(IdempotencyMeters.INBOX_MESSAGES)
                .description("Received messages")
                .withRegistry(registry);
        this.attempts = new AttemptMeters(
                registry,
                IdempotencyMeters.CONSUMER,
                consumers,
                IdempotencyMeters.INBOX_ATTEMPT_FAILURES,
                IdempotencyMeters.INBOX_RETRIES);
    }

    @Override
    public void messageReceived(MessageReceived event) {
        messages.withTags(
                        IdempotencyMeters.CONSUMER,
                        consumers.valueOf(event.consumer()),
                        IdempotencyMeters.OUTCOME,
                        event.outcome().tag())
                .record(event.duration());
        if (event.outcome() == MessageOutcome.FAILED) {
            attempts.failed(event.consumer(), event.attempt(), event.failure());
        }
    }

    @Override
    public void deliveryRetried(DeliveryRetried event) {
        attempts.retried(event.consumer(), event.sqlState());
    }
}
