package io.idempotency.boot.tracing;

import io.micrometer.observation.ObservationRegistry;

import io.idempotency.boot.KeyDisplay;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallObserver;

/** The observer that makes an observation of each call, current while the method runs. */
final class MicrometerCallObserver implements CallObserver {

    private final OpenObservations observations;

    private final ObservationRegistry registry;

    private final CallConvention convention;

    MicrometerCallObserver(ObservationRegistry registry, KeyDisplay keys) {
        this.registry = registry;
        this.observations = new OpenObservations(registry, keys);
        this.convention = new CallConvention(keys);
    }

    @Override
    public Observed<CallCompleted> callStarted(String scope) {
        if (registry.isNoop()) {
            return Observed.noOp();
        }
        CallObservationContext context = new CallObservationContext(scope);
        return observations.open(
                IdempotencyObservations.CALL.observation(null, convention, () -> context, registry),
                context::completed,
                CallCompleted::failure);
    }
}
