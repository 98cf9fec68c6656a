package io.idempotency.boot.tracing;

import java.util.List;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of calls. Their names and key values can be changed by a
 * {@link io.micrometer.observation.GlobalObservationConvention} bean that supports {@link CallObservationContext}.
 */
public enum IdempotencyObservations implements ObservationDocumentation {

    /** One idempotent call, from before it waits for other calls until it returns, with its commit or rollback. */
    CALL {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return CallConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return new KeyName[] {Low.SCOPE, Low.OUTCOME, Low.EXCEPTION};
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {High.KEY, High.CALLER, High.KEY_HASH};
        }
    };

    static final String CALL_NAME = "idempotency.claim";

    /** The outcome while the call runs. */
    public static final String UNKNOWN = "unknown";

    private static final String ACTIVE = ".active";

    /**
     * Returns whether Micrometer derives a meter from an observation. The library has its own timers.
     *
     * @param meter the name of the meter
     * @param observations the names of observations
     * @return whether one of the observations has such a meter
     */
    public static boolean isMeterOf(String meter, String... observations) {
        String observation = meter.endsWith(ACTIVE) ? meter.substring(0, meter.length() - ACTIVE.length()) : meter;
        return List.of(observations).contains(observation);
    }

    /** Keys with few values. */
    public enum Low implements KeyName {

        /** The scope of a call. */
        SCOPE("scope"),

        /** The outcome, as it is known when the call returns: an outer transaction may still be rolled back. */
        OUTCOME("outcome"),

        /** The simple name of the class of the exception that the caller gets, or {@code none}. */
        EXCEPTION("exception");

        private final String text;

        Low(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return text;
        }
    }

    /** Keys with many values, shown as set by {@code idempotency.tracing.keys}. */
    public enum High implements KeyName {

        /** The key, if keys are shown. */
        KEY("idempotency.key"),

        /** The caller, if keys are shown and there is one. */
        CALLER("idempotency.caller"),

        /** The {@code request_id} of the call's row, if keys are hashed. */
        KEY_HASH("idempotency.key.hash");

        private final String text;

        High(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return text;
        }
    }
}
