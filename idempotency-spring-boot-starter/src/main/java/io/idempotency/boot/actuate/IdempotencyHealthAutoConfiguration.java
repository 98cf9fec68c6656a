package io.idempotency.boot.actuate;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.sample.IdempotencyHealthProperties;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.internal.postgres.PostgresStorage;

/** The auto-configuration of the health of the library's tables. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(PostgresStorage.class)
@ConditionalOnEnabledHealthIndicator("idempotency")
@EnableConfigurationProperties(IdempotencyHealthProperties.class)
public final class IdempotencyHealthAutoConfiguration {

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnMissingBean(name = {"idempotencyHealthIndicator", "idempotencyHealthContributor"})
    HealthContributor idempotencyHealthContributor(
            PostgresStorage storage, IdempotencyHealthProperties properties, ObjectProvider<SampledPart<?>> parts) {
        return new IdempotencyHealthIndicator(
                storage.schema(), properties, parts.orderedStream().toList());
    }
}
