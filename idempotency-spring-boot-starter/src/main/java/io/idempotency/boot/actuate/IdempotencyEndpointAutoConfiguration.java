package io.idempotency.boot.actuate;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.retention.Purge;

/** The auto-configuration of the Actuator endpoint {@code idempotency}, if it is exposed. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(PostgresStorage.class)
@ConditionalOnAvailableEndpoint(IdempotencyEndpoint.class)
@EnableConfigurationProperties(IdempotencyEndpointProperties.class)
@Import(SamplesConfiguration.class)
public final class IdempotencyEndpointAutoConfiguration {

    @Bean
    IdempotencyEndpoint idempotencyEndpoint(
            IdempotencyAdministration administration,
            LatestSamples samples,
            Purge purge,
            ObjectProvider<EndpointPart> parts,
            IdempotencyEndpointProperties properties) {
        List<EndpointPart> ordered = parts.orderedStream().toList();
        return new IdempotencyEndpoint(
                new EndpointReads(administration, samples, ordered),
                new EndpointWrites(administration, purge, ordered),
                properties.showResponses());
    }

    @Bean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    IdempotencyEndpointWebExtension idempotencyEndpointWebExtension(
            IdempotencyEndpoint endpoint, IdempotencyEndpointProperties properties) {
        return new IdempotencyEndpointWebExtension(endpoint, properties.showResponses(), properties.roles());
    }
}
