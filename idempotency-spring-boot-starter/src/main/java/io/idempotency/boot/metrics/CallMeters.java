package io.idempotency.boot.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.DeliveryRetried;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.observation.MessageReceived;
import io.idempotency.observation.StepEnded;

/** The meters of idempotent calls and of deliveries of messages. */
final class CallMeters implements IdempotencyListener {

    private final ExecutionMeters calls;

    private final ExecutionMeters deliveries;

    private final BoundedTag scopes = new BoundedTag(IdempotencyMeters.SCOPE);

    private final MeterProvider<Counter> steps;

    CallMeters(MeterRegistry registry) {
        this.calls = new ExecutionMeters(
                registry,
                IdempotencyMeters.SCOPE,
                IdempotencyMeters.CALLS,
                "Idempotent calls",
                IdempotencyMeters.ATTEMPT_FAILURES,
                IdempotencyMeters.RETRIES);
        this.deliveries = new ExecutionMeters(
                registry,
                IdempotencyMeters.CONSUMER,
                IdempotencyMeters.INBOX_MESSAGES,
                "Received messages",
                IdempotencyMeters.INBOX_ATTEMPT_FAILURES,
                IdempotencyMeters.INBOX_RETRIES);
        this.steps = Counter.builder(IdempotencyMeters.STEPS)
                .description("Steps of leased calls")
                .withRegistry(registry);
    }

    @Override
    public void callCompleted(CallCompleted event) {
        calls.completed(event.scope(), event.outcome().tag(), event.duration());
        switch (event.outcome()) {
            case FAILED, FAILED_FINAL, LEASE_LOST -> calls.failed(event.scope(), event.attempt(), event.failure());
            default -> {}
        }
    }

    @Override
    public void callRetried(CallRetried event) {
        calls.retried(event.intent().scope(), event.sqlState());
    }

    @Override
    public void stepEnded(StepEnded event) {
        steps.withTags(
                        IdempotencyMeters.SCOPE,
                        scopes.valueOf(event.intent().scope()),
                        IdempotencyMeters.OUTCOME,
                        event.replayed() ? "replayed" : "executed")
                .increment();
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
