package io.idempotency.boot.security;

import java.util.function.Supplier;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
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

/** Keys belong to the authenticated principal, however its call came in: over HTTP, gRPC, a message or a job. */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class)
@ConditionalOnClass(SecurityContextHolder.class)
@ConditionalOnProperty(name = "idempotency.http.caller", havingValue = "principal", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyHttpProperties.class)
public final class IdempotencySecurityAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(CallerResolver.class)
    PrincipalCallerResolver idempotencyPrincipalCallerResolver(
            ObjectProvider<SecurityContextHolderStrategy> strategies, IdempotencyHttpProperties properties) {
        SecurityContextHolderStrategy ofTheApplication = strategies.getIfUnique();
        // The static one may be exchanged while the application starts.
        Supplier<SecurityContext> context =
                ofTheApplication == null ? SecurityContextHolder::getContext : ofTheApplication::getContext;
        return new PrincipalCallerResolver(context, properties.requireCaller());
    }

    /** At start-up even where beans are lazy: afterwards nothing would ask for it. */
    @Bean
    @Lazy(false)
    @ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
    ReactiveSecurityCheck idempotencyReactiveSecurityCheck(
            ApplicationContext application, ObjectProvider<CallerResolver> callerResolver) {
        return new ReactiveSecurityCheck(application, callerResolver);
    }
}
