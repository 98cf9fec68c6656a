package io.idempotency.boot.tracing;

import java.util.function.Consumer;
import java.util.function.Function;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import io.idempotency.boot.KeyDisplay;
import io.idempotency.observation.CallObserver.Observed;

/**
 * Makes observations current until they end.
 *
 * @param registry the registry of the observations
 * @param keys the form in which failures may show keys
 */
public record OpenObservations(ObservationRegistry registry, KeyDisplay keys) {

    /**
     * Starts an observation and makes it current.
     *
     * @param completed takes the event at its end into the context of the observation
     * @param failureOf returns the failure of the event; {@code null} if there is none
     */
    public <E> Observed<E> open(
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
