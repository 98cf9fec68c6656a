package io.idempotency.boot.messaging.actuate;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;

import io.idempotency.boot.actuate.EndpointPart;
import io.idempotency.boot.actuate.IdempotencyEndpointAutoConfiguration;
import io.idempotency.messaging.MessagingAdministration;

/** The auto-configuration of the messages in the Actuator endpoint {@code idempotency}, if it is exposed. */
@AutoConfiguration(after = IdempotencyEndpointAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(name = "idempotencyEndpoint")
@Import(MessagingSamplesConfiguration.class)
@ImportRuntimeHints(MessagingEndpointRuntimeHints.class)
public final class IdempotencyMessagingEndpointAutoConfiguration {

    @Bean
    EndpointPart idempotencyMessagingEndpointPart(
            MessagingAdministration administration, LatestMessagingSamples samples) {
        return new MessagingEndpointPart(administration, samples);
    }
}
