package io.idempotency.boot.metrics;

import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.IdempotencyListener;

/** Measures idempotent calls. */
final class CallMeters implements IdempotencyListener {

    private final BoundedTag scopes = new BoundedTag(IdempotencyMeters.SCOPE);

    private final MeterProvider<Timer> calls;

    private final AttemptMeters attempts;

    CallMeters(MeterRegistry registry) {
        this.calls = Timer.builder(IdempotencyMeters.CALLS)
                .description("Idempotent calls")
                .withRegistry(registry);
        this.attempts = new AttemptMeters(
                registry,
                IdempotencyMeters.SCOPE,
                scopes,
                IdempotencyMeters.ATTEMPT_FAILURES,
                IdempotencyMeters.RETRIES);
    }

    @Override
    public void callCompleted(CallCompleted event) {
        calls.withTags(
                        IdempotencyMeters.SCOPE,
                        scopes.valueOf(event.scope()),
                        IdempotencyMeters.OUTCOME,
                        event.outcome().tag())
                .record(event.duration());
        switch (event.outcome()) {
            case FAILED, FAILED_FINAL, LEASE_LOST -> attempts.failed(event.scope(), event.attempt(), event.failure());
            default -> {}
        }
    }

    @Override
    public void callRetried(CallRetried event) {
        attempts.retried(event.intent().scope(), event.sqlState());
    }
}
