package io.idempotency.boot.tracing;

import java.util.function.Consumer;
import java.util.function.Function;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import io.idempotency.boot.KeyDisplay;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallObserver;
import io.idempotency.observation.MessageReceived;

/** The observer that makes an observation of each call and delivery, current while the method runs. */
final class MicrometerCallObserver implements CallObserver {

    private final ObservationRegistry registry;

    private final KeyDisplay keys;

    private final CallConvention callConvention;

    private final DeliveryConvention deliveryConvention;

    MicrometerCallObserver(ObservationRegistry registry, KeyDisplay keys) {
        this.registry = registry;
        this.keys = keys;
        this.callConvention = new CallConvention(keys);
        this.deliveryConvention = new DeliveryConvention(keys);
    }

    @Override
    public Observed<CallCompleted> callStarted(String scope) {
        if (registry.isNoop()) {
            return Observed.noOp();
        }
        CallObservationContext context = new CallObservationContext(scope);
        return open(
                IdempotencyObservations.CALL.observation(null, callConvention, () -> context, registry),
                context::completed,
                CallCompleted::failure);
    }

    @Override
    public Observed<MessageReceived> deliveryStarted(String consumer) {
        if (registry.isNoop()) {
            return Observed.noOp();
        }
        DeliveryObservationContext context = new DeliveryObservationContext(consumer);
        return open(
                IdempotencyObservations.DELIVERY.observation(null, deliveryConvention, () -> context, registry),
                context::received,
                MessageReceived::failure);
    }

    private <E> Observed<E> open(
            Observation observation, Consumer<E> completed, Function<E, @Nullable Throwable> failureOf) {
        Observation.@Nullable Scope outer = registry.getCurrentObservationScope();
        Observation.Scope scope;
        try {
            scope = observation.start().openScope();
        } catch (Throwable failure) {
            restore(registry.getCurrentObservationScope(), outer);
            throw failure;
        }
        return event -> {
            try {
                completed.accept(event);
                Throwable failure = failureOf.apply(event);
                if (failure != null) {
                    observation.error(ObservedFailure.errorOf(failure, keys));
                }
            } finally {
                try {
                    restore(scope, outer);
                } finally {
                    observation.stop();
                }
            }
        };
    }

    /** Restores the outer scope even if a handler fails: the next call of this thread is no part of this one. */
    private void restore(Observation.@Nullable Scope scope, Observation.@Nullable Scope outer) {
        try {
            if (scope != null && scope != outer) {
                scope.close();
            }
        } finally {
            registry.setCurrentObservationScope(outer);
        }
    }
}
