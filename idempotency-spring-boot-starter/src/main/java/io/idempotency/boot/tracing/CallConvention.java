package io.idempotency.boot.tracing;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

import io.idempotency.Intent;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.tracing.IdempotencyObservations.High;
import io.idempotency.boot.tracing.IdempotencyObservations.Low;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.observation.CallCompleted;

/** The names and key values of the observation of a call. */
record CallConvention(KeyDisplay keys) implements ObservationConvention<CallObservationContext> {

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof CallObservationContext;
    }

    @Override
    public String getName() {
        return IdempotencyObservations.CALL_NAME;
    }

    @Override
    public String getContextualName(CallObservationContext context) {
        return "claim " + context.getScope();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(CallObservationContext context) {
        CallCompleted completed = context.getCompleted();
        return KeyValues.of(
                Low.SCOPE.withValue(context.getScope()),
                Low.OUTCOME.withValue(
                        completed == null
                                ? IdempotencyObservations.UNKNOWN
                                : completed.outcome().tag()),
                Low.EXCEPTION.withValue(
                        completed == null ? ObservedFailure.NONE : ObservedFailure.nameOf(completed.failure())));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(CallObservationContext context) {
        CallCompleted completed = context.getCompleted();
        Intent intent = completed == null ? null : completed.intent();
        if (intent == null) {
            return KeyValues.empty();
        }
        return switch (keys) {
            case SHOWN ->
                intent.caller().isEmpty()
                        ? KeyValues.of(High.KEY.withValue(intent.key().value()))
                        : KeyValues.of(
                                High.KEY.withValue(intent.key().value()), High.CALLER.withValue(intent.caller()));
            case HASHED ->
                KeyValues.of(High.KEY_HASH.withValue(RequestKey.idOf(intent).toString()));
            case OMITTED -> KeyValues.empty();
        };
    }
}
