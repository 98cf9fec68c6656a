package io.idempotency.boot.openapi;

import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.web.IdempotencyKeyHeader;

/** Keeps springdoc from taking the parameter of a key, whose annotation it does not know, for a query parameter. */
@AutoConfiguration
@ConditionalOnClass(SpringDocUtils.class)
public final class IdempotencyOpenApiAutoConfiguration {

    /** Before documents are made, which springdoc may do at start-up. */
    @Bean
    static BeanFactoryPostProcessor idempotencyKeyHeaderHiding() {
        return beans -> SpringDocUtils.getConfig().addAnnotationsToIgnore(IdempotencyKeyHeader.class);
    }
}
