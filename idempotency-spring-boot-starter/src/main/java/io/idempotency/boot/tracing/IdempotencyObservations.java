package io.idempotency.boot.tracing;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of the library. Their names and key values can be changed by a
 * {@link io.micrometer.observation.GlobalObservationConvention} bean that supports {@link CallObservationContext} or
 * {@link DeliveryObservationContext}.
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
    },

    /** One delivery of a message, from before it waits for others until it returns, with its commit or rollback. */
    DELIVERY {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DeliveryConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return new KeyName[] {Low.CONSUMER, Low.OUTCOME, Low.EXCEPTION};
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {High.MESSAGE_ID, High.MESSAGE_ID_HASH};
        }
    };

    static final String CALL_NAME = "idempotency.claim";

    static final String DELIVERY_NAME = "idempotency.receive";

    static final String PUBLISH_NAME = "idempotency.outbox.publish";

    /** The outcome while the call runs. */
    static final String UNKNOWN = "unknown";

    private static final String ACTIVE = ".active";

    /** Returns whether Micrometer derives a meter of this name from one of the library's observations. */
    static boolean isMeter(String name) {
        String observation = name.endsWith(ACTIVE) ? name.substring(0, name.length() - ACTIVE.length()) : name;
        return observation.equals(CALL_NAME) || observation.equals(DELIVERY_NAME) || observation.equals(PUBLISH_NAME);
    }

    /** Keys with few values. */
    public enum Low implements KeyName {

        /** The scope of a call. */
        SCOPE("scope"),

        /** The consumer of a message. */
        CONSUMER("consumer"),

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
        KEY_HASH("idempotency.key.hash"),

        /** The id of the message, if keys are shown. */
        MESSAGE_ID("idempotency.message.id"),

        /** The {@code idempotency_request_id} of consumer and message id, if keys are hashed. */
        MESSAGE_ID_HASH("idempotency.message.id.hash");

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
