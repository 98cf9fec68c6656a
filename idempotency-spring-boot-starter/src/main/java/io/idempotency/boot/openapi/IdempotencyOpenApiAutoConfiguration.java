package io.idempotency.boot.openapi;

import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.web.IdempotencyKeyHeader;

/** Hides the parameter of the key from springdoc, which would document it as a query parameter. */
@AutoConfiguration
@ConditionalOnClass(SpringDocUtils.class)
public final class IdempotencyOpenApiAutoConfiguration {

    /** A post-processor, because springdoc may make its documents at start-up. */
    @Bean
    static BeanFactoryPostProcessor idempotencyKeyHeaderHiding() {
        return beans -> SpringDocUtils.getConfig().addAnnotationsToIgnore(IdempotencyKeyHeader.class);
    }
}
