package io.idempotency.boot.tracing;

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

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.observation.CallObserver;

/** The auto-configuration of observations of calls for traces, if the application has an ObservationRegistry. */
@AutoConfiguration(
        before = IdempotencyAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyTracingProperties.class)
public final class IdempotencyTracingAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    CallObserver idempotencyCallObserver(ObservationRegistry registry, IdempotencyTracingProperties properties) {
        return new MicrometerCallObserver(registry, properties.keys());
    }

    /** The filter of timers that Micrometer derives from observations: the library has its own timers. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterFilter.class)
    static class WithMeters {

        @Bean
        MeterFilter idempotencyObservationMeterFilter() {
            return MeterFilter.deny(
                    id -> IdempotencyObservations.isMeterOf(id.getName(), IdempotencyObservations.CALL_NAME));
        }
    }
}
