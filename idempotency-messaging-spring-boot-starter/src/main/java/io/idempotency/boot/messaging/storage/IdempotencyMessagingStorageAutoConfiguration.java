package io.idempotency.boot.messaging.storage;

import java.time.Duration;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.core.annotation.Order;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyDataSource;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.StorageFeatures;
import io.idempotency.boot.flyway.SchemaCallback;
import io.idempotency.boot.retention.IdempotencyPurgeProperties;
import io.idempotency.boot.retention.Triggers;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.messaging.MessagingFeatures;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.postgres.partition.PartitionMaintenance;
import io.idempotency.internal.postgres.partition.PartitionPeriod;

/** The auto-configuration of the tables of messages and of the maintenance of their partitions. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(PostgresStorage.class)
@EnableConfigurationProperties({IdempotencyPurgeProperties.class, IdempotencyStorageProperties.class})
public final class IdempotencyMessagingStorageAutoConfiguration {

    @Bean
    @Order(1)
    StorageFeatures idempotencyMessagingFeatures(
            IdempotencyStorageProperties properties, IdempotencyPurgeProperties purge) {
        return new StorageFeatures(MessagingFeatures.of(
                purge.archive(), properties.processedMessages().period().isPresent()));
    }

    /** After the storage of calls, which reports a name that is not well-formed. */
    @Bean
    @DependsOn("idempotencyStorage")
    PostgresMessageStorage idempotencyMessageStorage(
            IdempotencyDataSource dataSource, IdempotencyProperties properties) {
        return new PostgresMessageStorage(dataSource.dataSource(), properties.schema());
    }

    @Bean
    SchemaCallback idempotencyMessagePartitionSettings(
            PostgresMessageStorage storage, IdempotencyStorageProperties properties) {
        return new MessagePartitionSettings(storage, properties.processedMessages());
    }

    @Bean
    PartitionMaintenance idempotencyPartitionMaintenance(
            PostgresMessageStorage storage, IdempotencyStorageProperties properties, IdempotencyPurgeProperties purge) {
        return storage.partitionMaintenance(
                properties.processedMessages().period().orElse(PartitionPeriod.DAY),
                properties.maintenanceRole(),
                purge.archive());
    }

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnBooleanProperty(name = "idempotency.storage.maintenance", matchIfMissing = true)
    PartitionScheduler idempotencyPartitionScheduler(
            PartitionMaintenance maintenance, IdempotencyStorageProperties properties) {
        Duration interval = properties.maintenanceInterval();
        boolean isPartitioned = properties.processedMessages().period().isPresent();
        return new PartitionScheduler(
                maintenance,
                isPartitioned ? context -> context.getClock().instant() : Triggers.every(interval),
                interval);
    }
}
