package io.idempotency.boot.openapi;

import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.web.IdempotencyHttpProperties;
import io.idempotency.boot.web.IdempotencyKeyHeader;
import io.idempotency.boot.web.IdempotencyWebAutoConfiguration;
import io.idempotency.internal.operation.IdempotentOperationSource;

/** The auto-configuration of what springdoc publishes about operations that take a key. */
@AutoConfiguration(after = IdempotencyWebAutoConfiguration.class)
@ConditionalOnClass(SpringDocUtils.class)
@EnableConfigurationProperties(IdempotencyProperties.class)
public final class IdempotencyOpenApiAutoConfiguration {

    /**
     * Hides the parameter, which springdoc takes for a query parameter. Returns a post-processor, because springdoc may
     * create its documents at start-up.
     */
    @Bean
    static BeanFactoryPostProcessor idempotencyKeyHeaderHiding() {
        return beans -> SpringDocUtils.getConfig().addAnnotationsToIgnore(IdempotencyKeyHeader.class);
    }

    /** Is known by its name, because applications have other beans of the type. */
    @Bean
    @ConditionalOnBean(IdempotencyHttpProperties.class)
    @ConditionalOnMissingBean(name = "idempotentOperationCustomizer")
    IdempotentOperationCustomizer idempotentOperationCustomizer(
            IdempotencyHttpProperties http,
            IdempotencyProperties properties,
            ObjectProvider<IdempotentOperationSource> operations) {
        return new IdempotentOperationCustomizer(http, properties.retention(), operations);
    }
}
