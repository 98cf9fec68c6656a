package io.idempotency.boot.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;
import io.idempotency.observation.StepEnded;

/** The meters of idempotent calls, and of the purge of their rows. */
final class CallMeters implements IdempotencyListener {

    private final MeterRegistry registry;

    private final ExecutionMeters calls;

    private final BoundedTag scopes = new BoundedTag(IdempotencyMeters.SCOPE);

    private final MeterProvider<Counter> steps;

    CallMeters(MeterRegistry registry) {
        this.registry = registry;
        this.calls = new ExecutionMeters(
                registry,
                IdempotencyMeters.SCOPE,
                IdempotencyMeters.CALLS,
                "Idempotent calls",
                IdempotencyMeters.ATTEMPT_FAILURES,
                IdempotencyMeters.RETRIES);
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
    public void rowsPurged(RowsPurged event) {
        Counter.builder(IdempotencyMeters.PURGED)
                .description("Expired rows that were deleted")
                .baseUnit("rows")
                .tag(IdempotencyMeters.TABLE, event.table())
                .register(registry)
                .increment((double) event.rows());
    }
}
