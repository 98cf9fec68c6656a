package io.idempotency.boot.messaging;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.retention.Sampler;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.MessagingListeners;

/** The auto-configuration of what inbox and outbox have in common: the listeners, the administration and the samples. */
@AutoConfiguration(after = IdempotencyMessagingStorageAutoConfiguration.class)
@ConditionalOnBean(PostgresStorage.class)
public final class IdempotencyMessagingAutoConfiguration {

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnMissingBean
    MessagingAdministration idempotencyMessagingAdministration(PostgresMessageStorage storage) {
        return storage.administration();
    }

    @Bean(defaultCandidate = false)
    MessagingListeners idempotencyMessagingListeners(ObjectProvider<MessagingListener> listeners) {
        return new MessagingListeners(listeners.orderedStream().toList());
    }

    @Bean
    Sampler idempotencyPartitionSampler(
            PostgresMessageStorage storage, @Qualifier("idempotencyMessagingListeners") MessagingListeners listeners) {
        return storage.partitionSampler(listeners);
    }
}
