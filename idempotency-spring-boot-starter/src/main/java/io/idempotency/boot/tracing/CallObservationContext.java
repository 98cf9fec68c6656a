package io.idempotency.boot.tracing;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.idempotency.observation.CallCompleted;

/** What is known of a call that is observed. */
public final class CallObservationContext extends Observation.Context {

    private final String scope;

    private @Nullable CallCompleted completed;

    CallObservationContext(String scope) {
        this.scope = scope;
    }

    /**
     * The scope that is called.
     *
     * @return the scope
     */
    public String getScope() {
        return scope;
    }

    /**
     * How the call ended, with its key: whoever shows that has to ask himself whether he may.
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
