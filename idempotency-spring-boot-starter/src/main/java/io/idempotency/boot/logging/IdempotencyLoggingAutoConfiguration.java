package io.idempotency.boot.logging;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.internal.interceptor.IdempotentBeanVerifier;
import io.idempotency.observation.IdempotencyListener;

/** The auto-configuration of the log of calls and of the start. Each feature has a logger whose level can be set. */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyLoggingProperties.class)
public final class IdempotencyLoggingAutoConfiguration {

    @Bean
    IdempotencyListener idempotencyCallLog(IdempotencyLoggingProperties properties) {
        return new CallLog(new LoggedKeys(properties.keys()));
    }

    @Bean
    StartupSummary idempotencyStartupSummary(
            ApplicationContext application,
            ObjectProvider<IdempotentBeanVerifier> methods,
            ObjectProvider<SummaryPart> others) {
        return new StartupSummary(application, methods, others);
    }
}
