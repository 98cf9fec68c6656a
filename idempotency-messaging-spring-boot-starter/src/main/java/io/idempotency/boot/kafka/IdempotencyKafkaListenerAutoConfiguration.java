package io.idempotency.boot.kafka;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.internal.operation.IdempotentOperationSource;

/** The auto-configuration of the warning about Kafka transactions around idempotent receivers. */
@AutoConfiguration(
        after = IdempotencyAutoConfiguration.class,
        afterName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration")
@ConditionalOnClass(KafkaListenerEndpointRegistry.class)
@ConditionalOnBean({IdempotentOperationSource.class, KafkaListenerEndpointRegistry.class})
public final class IdempotencyKafkaListenerAutoConfiguration {

    @Bean
    KafkaTransactionWarning idempotencyKafkaTransactionWarning(
            ConfigurableListableBeanFactory beans, IdempotentOperationSource operations) {
        return new KafkaTransactionWarning(beans, operations);
    }
}
