package io.idempotency.boot.rabbit;

import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.amqp.autoconfigure.CachingConnectionFactoryConfigurer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.outbox.ConditionalOnOutboxSender;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.outbox.IdempotencyOutboxProperties;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.outbox.OutboxSender;

/**
 * The auto-configuration that sends the messages of the outbox to RabbitMQ, if the application has one ConnectionFactory for it, or
 * a primary one, and no Kafka.
 */
@AutoConfiguration(
        after = IdempotencyAutoConfiguration.class,
        afterName = {
            "io.idempotency.boot.kafka.IdempotencyKafkaAutoConfiguration",
            "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration"
        },
        before = IdempotencyOutboxAutoConfiguration.class)
@ConditionalOnClass({RabbitTemplate.class, CachingConnectionFactoryConfigurer.class})
@ConditionalOnBean(PostgresStorage.class)
@ConditionalOnSingleCandidate(AbstractConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "idempotency.outbox.enabled", matchIfMissing = true)
@ConditionalOnOutboxSender(IdempotencyOutboxProperties.Sender.RABBIT)
@EnableConfigurationProperties({IdempotencyOutboxProperties.class, IdempotencyRabbitProperties.class})
public final class IdempotencyRabbitAutoConfiguration {

    /**
     * How often a timeout of connecting fits into that of the relay: a broker that does not answer is an outage, and a message that
     * the relay gives up has failed. There may be several addresses to try.
     */
    private static final int PARTS = 4;

    /** The connections are its own, because the application's may be transacted, which excludes confirms. */
    @Bean
    @ConditionalOnMissingBean(OutboxSender.class)
    RabbitSender idempotencyRabbitSender(
            AbstractConnectionFactory application,
            ObjectProvider<CachingConnectionFactoryConfigurer> configurer,
            IdempotencyOutboxProperties outbox,
            IdempotencyRabbitProperties properties) {
        com.rabbitmq.client.ConnectionFactory client =
                application.getRabbitConnectionFactory().clone();
        int sendTimeout = (int) outbox.sendTimeout().toMillis();
        client.setChannelRpcTimeout(sendTimeout);
        client.setConnectionTimeout(atMost(sendTimeout / PARTS, client.getConnectionTimeout()));
        client.setHandshakeTimeout(atMost(sendTimeout / PARTS, client.getHandshakeTimeout()));
        CachingConnectionFactory connections = new CachingConnectionFactory(client);
        configurer.ifAvailable(settings -> settings.configure(connections));
        return new RabbitSender(connections, properties);
    }

    /** Zero is no limit. */
    private static int atMost(int limit, int configured) {
        return configured == 0 ? limit : Math.min(limit, configured);
    }
}
