package io.idempotency.boot.security;

import java.util.function.Supplier;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;

import io.idempotency.CallerResolver;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.web.IdempotencyHttpProperties;

/** The auto-configuration that makes the authenticated principal the caller, over HTTP and elsewhere. */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class)
@ConditionalOnClass(SecurityContextHolder.class)
@ConditionalOnProperty(name = "idempotency.http.caller", havingValue = "principal", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyHttpProperties.class)
public final class IdempotencySecurityAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(CallerResolver.class)
    PrincipalCallerResolver idempotencyPrincipalCallerResolver(
            ObjectProvider<SecurityContextHolderStrategy> strategies, IdempotencyHttpProperties properties) {
        SecurityContextHolderStrategy strategy = strategies.getIfUnique();
        // The static strategy may be replaced while the application starts.
        Supplier<SecurityContext> context = strategy == null ? SecurityContextHolder::getContext : strategy::getContext;
        return new PrincipalCallerResolver(context, properties.requireCaller());
    }

    @Bean
    @ConditionalOnBean(PrincipalCallerResolver.class)
    MixedCallersWarning idempotencyMixedCallersWarning() {
        return new MixedCallersWarning();
    }

    /** Eager even if beans are lazy, because nothing else would create it. */
    @Bean
    @Lazy(false)
    @ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
    ReactiveSecurityCheck idempotencyReactiveSecurityCheck(
            ApplicationContext application, ObjectProvider<CallerResolver> callerResolver) {
        return new ReactiveSecurityCheck(application, callerResolver);
    }
}
