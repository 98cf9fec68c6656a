package io.idempotency.boot.tracing;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.idempotency.observation.CallCompleted;

/** The context of the observation of a call. */
public final class CallObservationContext extends Observation.Context {

    private final String scope;

    private @Nullable CallCompleted completed;

    CallObservationContext(String scope) {
        this.scope = scope;
    }

    /**
     * Returns the scope of the call.
     *
     * @return the scope
     */
    public String getScope() {
        return scope;
    }

    /**
     * Returns the outcome of the call, with its key. The key may be confidential.
     *
     * @return {@code null} while the call runs
     */
    public @Nullable CallCompleted getCompleted() {
        return completed;
    }

    void completed(CallCompleted event) {
        completed = event;
    }
}
