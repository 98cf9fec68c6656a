package io.idempotency.boot.tracing;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * What traces show of the library. Names and key values can be changed by a
 * {@link io.micrometer.observation.GlobalObservationConvention} bean that supports {@link CallObservationContext} or
 * {@link DeliveryObservationContext}.
 */
public enum IdempotencyObservations implements ObservationDocumentation {

    /** One idempotent call, from before it waits for others until it returns, its commit or rollback included. */
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

    /** One delivery of a message, likewise. */
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

    /** Whether Micrometer makes a meter of this name of one of the library's observations. */
    static boolean isMeter(String name) {
        String observation = name.endsWith(ACTIVE) ? name.substring(0, name.length() - ACTIVE.length()) : name;
        return observation.equals(CALL_NAME) || observation.equals(DELIVERY_NAME) || observation.equals(PUBLISH_NAME);
    }

    /** Values of which there are few. */
    public enum Low implements KeyName {

        /** The scope of a call. */
        SCOPE("scope"),

        /** The consumer of a message. */
        CONSUMER("consumer"),

        /** What became of it, as far as it is known when it returns: an outer transaction may still be rolled back. */
        OUTCOME("outcome"),

        /** The simple name of the class of what the caller got instead of a result, or {@code none}. */
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

    /** Values of which each call has its own, shown as {@code idempotency.tracing.keys} says. */
    public enum High implements KeyName {

        /** The key, if keys are shown. */
        KEY("idempotency.key"),

        /** The caller, if keys are shown and there is one. */
        CALLER("idempotency.caller"),

        /** The {@code request_id} of the call's row, if keys are hashed. */
        KEY_HASH("idempotency.key.hash"),

        /** The id of the message, if keys are shown. */
        MESSAGE_ID("idempotency.message.id"),

        /** What {@code idempotency_request_id} makes of consumer and message id, if keys are hashed. */
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
