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
import io.idempotency.retention.PurgeSettings;
import io.idempotency.retention.PurgeStore;
import io.idempotency.retention.StorageSampler;

/** Deletes expired rows in the background, and looks at the sizes of the tables. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(PostgresStorage.class)
public final class IdempotencyPurgeAutoConfiguration {

    @Bean
    Purge idempotencyPurge(
            PurgeStore store,
            IdempotencyProperties properties,
            @Qualifier("idempotencyListeners") IdempotencyListeners listeners) {
        IdempotencyProperties.Purge settings = properties.purge();
        return new Purge(
                store, new PurgeSettings(settings.batchSize(), settings.pause(), settings.maxDuration()), listeners);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "idempotency.purge.enabled", matchIfMissing = true)
    PurgeScheduler idempotencyPurgeScheduler(Purge purge, IdempotencyProperties properties) {
        return new PurgeScheduler(purge, Triggers.of(properties.purge()));
    }

    @Bean
    @DependsOnDatabaseInitialization
    SampleScheduler idempotencySampleScheduler(
            PostgresStorage storage,
            IdempotencyProperties properties,
            @Qualifier("idempotencyListeners") IdempotencyListeners listeners) {
        return new SampleScheduler(new StorageSampler(storage.statistics(), listeners), properties.sampleInterval());
    }
}
