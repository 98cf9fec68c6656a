package io.idempotency.boot.messaging.tracing;

import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.outbox.PublishedHeaders;
import io.idempotency.boot.tracing.IdempotencyObservations;
import io.idempotency.boot.tracing.IdempotencyTracingAutoConfiguration;
import io.idempotency.boot.tracing.IdempotencyTracingProperties;
import io.idempotency.messaging.DeliveryObserver;

/** The auto-configuration of observations of messages for traces, if the application has an ObservationRegistry. */
@AutoConfiguration(
        after = IdempotencyTracingAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyTracingProperties.class)
public final class IdempotencyMessagingTracingAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    DeliveryObserver idempotencyDeliveryObserver(
            ObservationRegistry registry, IdempotencyTracingProperties properties) {
        return new MicrometerDeliveryObserver(registry, properties.keys());
    }

    @Bean
    PublishedHeaders idempotencyPublishedHeaders(ObservationRegistry registry) {
        return new ObservedHeaders(registry);
    }

    /** The filter of timers that Micrometer derives from observations: the library has its own timers. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterFilter.class)
    static class WithMeters {

        @Bean
        MeterFilter idempotencyMessageObservationMeterFilter() {
            return MeterFilter.deny(id -> IdempotencyObservations.isMeterOf(
                    id.getName(), MessagingObservations.DELIVERY_NAME, MessagingObservations.PUBLISH_NAME));
        }
    }
}
