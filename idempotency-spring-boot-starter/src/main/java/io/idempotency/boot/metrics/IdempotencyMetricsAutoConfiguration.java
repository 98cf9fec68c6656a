package io.idempotency.boot.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.observation.IdempotencyListener;

/** Measures calls, messages and tables where Micrometer is on the class path and the application has a registry. */
@AutoConfiguration(
        before = IdempotencyAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyMetricsAutoConfiguration {

    @Bean
    IdempotencyListener idempotencyCallMeters(MeterRegistry registry) {
        return new CallMeters(registry);
    }

    @Bean
    IdempotencyListener idempotencyInboxMeters(MeterRegistry registry) {
        return new InboxMeters(registry);
    }

    @Bean
    IdempotencyListener idempotencyOutboxMeters(MeterRegistry registry) {
        return new OutboxMeters(registry);
    }

    @Bean
    IdempotencyListener idempotencyStorageMeters(MeterRegistry registry) {
        return new StorageMeters(registry);
    }
}
