package io.idempotency.boot.retention;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.observation.IdempotencyListeners;
import io.idempotency.postgres.PostgresStorage;
import io.idempotency.retention.Purge;

/** Deletes expired rows in the background. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(PostgresStorage.class)
@ConditionalOnBooleanProperty(name = "idempotency.purge.enabled", matchIfMissing = true)
public final class IdempotencyPurgeAutoConfiguration {

    @Bean
    @DependsOnDatabaseInitialization
    PurgeScheduler idempotencyPurgeScheduler(
            PostgresStorage storage,
            IdempotencyProperties properties,
            @Qualifier("idempotencyListeners") IdempotencyListeners listeners) {
        IdempotencyProperties.Purge settings = properties.purge();
        Purge purge = new Purge(
                storage.expiringTables(), settings.batchSize(), settings.pause(), settings.maxDuration(), listeners);
        return new PurgeScheduler(purge, settings.interval());
    }
}
