package io.idempotency.boot.openapi;

import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.web.IdempotencyKeyHeader;

/** The auto-configuration that keeps springdoc from documenting the key as a query parameter. */
@AutoConfiguration
@ConditionalOnClass(SpringDocUtils.class)
public final class IdempotencyOpenApiAutoConfiguration {

    /** Returns a post-processor, because springdoc may create its documents at start-up. */
    @Bean
    static BeanFactoryPostProcessor idempotencyKeyHeaderHiding() {
        return beans -> SpringDocUtils.getConfig().addAnnotationsToIgnore(IdempotencyKeyHeader.class);
    }
}
