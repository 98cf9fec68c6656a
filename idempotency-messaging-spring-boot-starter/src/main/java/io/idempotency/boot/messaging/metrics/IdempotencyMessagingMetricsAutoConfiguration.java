package io.idempotency.boot.messaging.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.metrics.IdempotencyMetricsAutoConfiguration;
import io.idempotency.messaging.MessagingListener;

/** The auto-configuration of the meters of messages, if the application has a MeterRegistry. */
@AutoConfiguration(
        after = IdempotencyMetricsAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyMessagingMetricsAutoConfiguration {

    @Bean
    MessagingListener idempotencyDeliveryMeters(MeterRegistry registry) {
        return new DeliveryMeters(registry);
    }

    @Bean
    MessagingListener idempotencyOutboxMeters(MeterRegistry registry) {
        return new OutboxMeters(registry);
    }
}
