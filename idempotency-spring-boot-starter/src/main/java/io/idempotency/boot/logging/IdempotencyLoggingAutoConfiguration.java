package io.idempotency.boot.logging;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.observation.IdempotencyListener;

/** The auto-configuration of the log of calls. Each feature has a logger whose level can be set. */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyLoggingProperties.class)
public final class IdempotencyLoggingAutoConfiguration {

    @Bean
    IdempotencyListener idempotencyCallLog(IdempotencyLoggingProperties properties) {
        return new CallLog(new LoggedKeys(properties.keys()));
    }
}
