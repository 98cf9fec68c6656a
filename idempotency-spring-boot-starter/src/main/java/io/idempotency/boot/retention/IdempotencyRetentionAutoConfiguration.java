package io.idempotency.boot.retention;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

import io.idempotency.DatabaseResolver;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyDataSource;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.ProcessName;
import io.idempotency.boot.StorageFeatures;
import io.idempotency.boot.logging.SummaryPart;
import io.idempotency.boot.sample.IdempotencyHealthProperties;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeSettings;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.retention.Sampler;
import io.idempotency.internal.retention.StorageSampler;
import io.idempotency.observation.IdempotencyListeners;

/** The auto-configuration of the purge and the samples of the tables. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(PostgresStorage.class)
@EnableConfigurationProperties({IdempotencyHealthProperties.class, IdempotencyPurgeProperties.class})
public final class IdempotencyRetentionAutoConfiguration {

    @Bean
    @Order(0)
    StorageFeatures idempotencyArchiveFeatures(IdempotencyPurgeProperties properties) {
        return new StorageFeatures(properties.archive() ? List.of(CoreFeatures.ARCHIVE) : List.of());
    }

    @Bean
    @DependsOnDatabaseInitialization
    PurgeStore idempotencyPurgeStore(
            PostgresStorage storage, Environment environment, IdempotencyPurgeProperties properties) {
        return storage.purgeStore(ProcessName.of(environment), properties.archive());
    }

    @Bean
    Purge idempotencyPurge(
            PurgeStore store,
            IdempotencyPurgeProperties properties,
            @Qualifier("idempotencyListeners") IdempotencyListeners listeners) {
        return new Purge(
                store,
                new PurgeSettings(properties.batchSize(), properties.pause(), properties.maxDuration()),
                listeners);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "idempotency.purge.enabled", matchIfMissing = true)
    PurgeScheduler idempotencyPurgeScheduler(
            Purge purge,
            IdempotencyPurgeProperties properties,
            IdempotencyDataSource dataSource,
            DatabaseResolver resolver) {
        return new PurgeScheduler(
                purge, Triggers.of(properties), new UnreachedDatabases(dataSource.dataSource(), resolver));
    }

    @Bean
    @DependsOnDatabaseInitialization
    SampleScheduler idempotencySampleScheduler(
            PostgresStorage storage,
            IdempotencyProperties properties,
            ObjectProvider<Sampler> others,
            @Qualifier("idempotencyListeners") IdempotencyListeners listeners) {
        List<Sampler> samplers = new ArrayList<>(List.of(new StorageSampler(storage.statistics(), listeners)));
        samplers.addAll(others.orderedStream().toList());
        return new SampleScheduler(samplers, properties.sampleInterval());
    }

    @Bean
    @Order(0)
    StoragePart idempotencyStoragePart(
            IdempotencyProperties properties, IdempotencyPurgeProperties purge, IdempotencyHealthProperties health) {
        return new StoragePart(properties.sampleInterval(), purge.enabled(), health.maxPurgeDelay(), Clock.systemUTC());
    }

    @Bean
    @Order(30)
    SummaryPart idempotencyPurgeSummary(IdempotencyPurgeProperties properties) {
        return () -> "purge " + (properties.enabled() ? "on" : "off");
    }
}
