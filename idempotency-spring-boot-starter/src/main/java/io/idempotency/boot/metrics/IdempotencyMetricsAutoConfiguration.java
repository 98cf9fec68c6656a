package io.idempotency.boot.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.observation.IdempotencyListener;

/** The auto-configuration of the meters of calls and tables, if the application has a MeterRegistry. */
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
    @Lazy(false)
    SampleGauges idempotencySampleGauges(MeterRegistry registry, ObjectProvider<SampledPart<?>> parts) {
        return new SampleGauges(registry, parts.orderedStream());
    }
}
