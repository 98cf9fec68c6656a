package io.idempotency.boot.rabbit;

import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.outbox.ConditionalOnOutboxSender;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.outbox.IdempotencyOutboxProperties;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.outbox.OutboxSender;

/**
 * The auto-configuration that sends the messages of the outbox to RabbitMQ, if the application has a ConnectionFactory for it
 * and no Kafka.
 */
@AutoConfiguration(
        after = IdempotencyAutoConfiguration.class,
        afterName = {
            "io.idempotency.boot.kafka.IdempotencyKafkaAutoConfiguration",
            "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration"
        },
        before = IdempotencyOutboxAutoConfiguration.class)
@ConditionalOnClass(RabbitTemplate.class)
@ConditionalOnBean({PostgresStorage.class, ConnectionFactory.class})
@ConditionalOnBooleanProperty(name = "idempotency.outbox.enabled", matchIfMissing = true)
@ConditionalOnOutboxSender(IdempotencyOutboxProperties.Sender.RABBIT)
@EnableConfigurationProperties(IdempotencyRabbitProperties.class)
public final class IdempotencyRabbitAutoConfiguration {

    private static final String REMEDY =
            "define a bean of the type OutboxSender, or set idempotency.outbox.sender=in-process.";

    @Bean
    @ConditionalOnMissingBean(OutboxSender.class)
    RabbitSender idempotencyRabbitSender(
            ObjectProvider<ConnectionFactory> connectionFactories, IdempotencyRabbitProperties properties) {
        ConnectionFactory application = connectionFactories.getIfUnique();
        if (application == null) {
            throw new IdempotencyStartupException(
                    "There are several ConnectionFactories for RabbitMQ and none of them is primary.",
                    "Mark the one for the outbox as @Primary, " + REMEDY);
        }
        if (!(application.getPublisherConnectionFactory() instanceof CachingConnectionFactory publishing)) {
            throw new IdempotencyStartupException(
                    "The ConnectionFactory for RabbitMQ is a "
                            + application.getClass().getName() + ", which the outbox cannot make confirm its messages.",
                    "Use a CachingConnectionFactory, " + REMEDY);
        }
        return new RabbitSender(publishing, properties);
    }
}
