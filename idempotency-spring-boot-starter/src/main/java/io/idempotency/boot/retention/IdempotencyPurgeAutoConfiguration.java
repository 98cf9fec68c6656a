package io.idempotency.boot.retention;

import java.time.Duration;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.retention.PartitionMaintenance;
import io.idempotency.internal.retention.PartitionPeriod;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeSettings;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.retention.StorageSampler;
import io.idempotency.observation.IdempotencyListeners;

/** Deletes expired rows and drops expired partitions in the background, and looks at the sizes of the tables. */
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
    PartitionMaintenance idempotencyPartitionMaintenance(PostgresStorage storage, IdempotencyProperties properties) {
        IdempotencyProperties.Storage settings = properties.storage();
        return storage.partitionMaintenance(
                settings.processedMessages().period().orElse(PartitionPeriod.DAY),
                settings.maintenanceRole(),
                properties.purge().archive());
    }

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnBooleanProperty(name = "idempotency.storage.maintenance", matchIfMissing = true)
    PartitionScheduler idempotencyPartitionScheduler(
            PartitionMaintenance maintenance, IdempotencyProperties properties) {
        Duration interval = properties.storage().maintenanceInterval();
        boolean isWanted = properties.storage().processedMessages().period().isPresent();
        return new PartitionScheduler(maintenance, isWanted ? Triggers.atOnce() : Triggers.every(interval), interval);
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
