package io.idempotency.boot.actuate;

import java.util.List;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyRecord;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.internal.call.attempt.KeyOwnership.Holder;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.observation.StorageSampled;

/** The auto-configuration of the Actuator endpoint {@code idempotency}, if it is exposed. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(PostgresStorage.class)
@ConditionalOnAvailableEndpoint(IdempotencyEndpoint.class)
@EnableConfigurationProperties(IdempotencyEndpointProperties.class)
@RegisterReflectionForBinding({
    Descriptors.Details.class,
    Descriptors.Done.class,
    Descriptors.One.class,
    Descriptors.Page.class,
    Descriptors.Refusal.class,
    Holder.class,
    IdempotencyRecord.class,
    PurgeReport.class,
    Row.Key.class,
    SampledPart.Taken.class,
    StorageSampled.class
})
public final class IdempotencyEndpointAutoConfiguration {

    @Bean
    @Order(0)
    EndpointPart idempotencyCallsEndpointPart(IdempotencyAdministration administration, Purge purge) {
        return new CallsPart(administration, purge);
    }

    @Bean
    IdempotencyEndpoint idempotencyEndpoint(
            IdempotencyAdministration administration,
            ObjectProvider<SampledPart<?>> samples,
            ObjectProvider<EndpointPart> parts,
            IdempotencyEndpointProperties properties) {
        List<EndpointPart> ordered = parts.orderedStream().toList();
        return new IdempotencyEndpoint(
                new EndpointReads(administration, samples.orderedStream().toList(), ordered),
                new EndpointWrites(ordered),
                properties.showResponses());
    }

    @Bean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    IdempotencyEndpointWebExtension idempotencyEndpointWebExtension(
            IdempotencyEndpoint endpoint, IdempotencyEndpointProperties properties) {
        return new IdempotencyEndpointWebExtension(endpoint, properties.showResponses(), properties.roles());
    }
}
