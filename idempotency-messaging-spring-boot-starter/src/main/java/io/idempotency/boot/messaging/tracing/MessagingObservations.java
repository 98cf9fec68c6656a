package io.idempotency.boot.messaging.tracing;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

import io.idempotency.boot.tracing.IdempotencyObservations;

/**
 * The observations of messages. Their names and key values can be changed by a
 * {@link io.micrometer.observation.GlobalObservationConvention} bean that supports {@link DeliveryObservationContext}.
 */
public enum MessagingObservations implements ObservationDocumentation {

    /** One delivery of a message, from before it waits for others until it returns, with its commit or rollback. */
    DELIVERY {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DeliveryConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return new KeyName[] {
                Low.CONSUMER, IdempotencyObservations.Low.OUTCOME, IdempotencyObservations.Low.EXCEPTION
            };
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {High.MESSAGE_ID, High.MESSAGE_ID_HASH};
        }
    };

    static final String DELIVERY_NAME = "idempotency.receive";

    static final String PUBLISH_NAME = "idempotency.outbox.publish";

    /** Keys with few values, beside outcome and exception, which {@link IdempotencyObservations.Low} names. */
    public enum Low implements KeyName {

        /** The consumer of a message. */
        CONSUMER("consumer");

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
