package io.idempotency.boot.kafka;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.outbox.ConditionalOnOutboxSender;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.outbox.IdempotencyOutboxProperties;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.outbox.OutboxSender;

/** The auto-configuration that sends the messages of the outbox to Kafka, if the application has a ProducerFactory. */
@AutoConfiguration(
        after = IdempotencyAutoConfiguration.class,
        afterName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
        before = IdempotencyOutboxAutoConfiguration.class)
@ConditionalOnClass(KafkaTemplate.class)
@ConditionalOnBean({PostgresStorage.class, ProducerFactory.class})
@ConditionalOnBooleanProperty(name = "idempotency.outbox.enabled", matchIfMissing = true)
@ConditionalOnOutboxSender(IdempotencyOutboxProperties.Sender.KAFKA)
@EnableConfigurationProperties(IdempotencyOutboxProperties.class)
public final class IdempotencyKafkaAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(OutboxSender.class)
    KafkaSender idempotencyKafkaSender(
            ObjectProvider<ProducerFactory<?, ?>> producerFactories, IdempotencyOutboxProperties properties) {
        ProducerFactory<?, ?> applicationFactory = producerFactories.getIfUnique();
        if (applicationFactory == null) {
            throw new IdempotencyStartupException(
                    "There are several Kafka ProducerFactories and none of them is primary.",
                    "Mark the one for the outbox as @Primary, define a bean of the type OutboxSender, or set"
                            + " idempotency.outbox.sender=in-process.");
        }
        return new KafkaSender(applicationFactory, properties.sendTimeout());
    }
}
