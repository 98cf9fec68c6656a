package io.idempotency.boot.metrics;

import java.time.Clock;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.observation.IdempotencyListener;

/** The auto-configuration of the meters of calls and tables, if the application has a MeterRegistry. */
@AutoConfiguration(
        before = IdempotencyAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
public final class IdempotencyMetricsAutoConfiguration {

    @Bean
    IdempotencyListener idempotencyCallMeters(MeterRegistry registry) {
        return new CallMeters(registry);
    }

    @Bean
    IdempotencyListener idempotencyStorageMeters(MeterRegistry registry, IdempotencyProperties properties) {
        return new StorageMeters(
                registry, new SampleGauges<>(registry, properties.sampleInterval(), Clock.systemUTC()));
    }
}
