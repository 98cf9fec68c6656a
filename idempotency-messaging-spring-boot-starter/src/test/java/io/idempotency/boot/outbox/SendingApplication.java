package io.idempotency.boot.outbox;

import javax.sql.DataSource;

import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.kafka.IdempotencyKafkaAutoConfiguration;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.inbox.IdempotencyInboxAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.boot.rabbit.IdempotencyRabbitAutoConfiguration;
import io.idempotency.test.TestDatabase;

/** An application with an outbox that may send to Kafka or RabbitMQ, of which neither answers. */
public final class SendingApplication {

    private SendingApplication() {}

    /** Returns it, not started yet. */
    public static ApplicationContextRunner on(TestDatabase database) {
        return new ApplicationContextRunner()
                .withBean(DataSource.class, database::adminDataSource)
                .withPropertyValues("spring.kafka.bootstrap-servers=127.0.0.1:1", "spring.rabbitmq.port=1")
                .withConfiguration(AutoConfigurations.of(
                        KafkaAutoConfiguration.class,
                        RabbitAutoConfiguration.class,
                        IdempotencyAutoConfiguration.class,
                        IdempotencyInboxAutoConfiguration.class,
                        IdempotencyMessagingAutoConfiguration.class,
                        IdempotencyMessagingStorageAutoConfiguration.class,
                        IdempotencyMigrationAutoConfiguration.class,
                        IdempotencyKafkaAutoConfiguration.class,
                        IdempotencyRabbitAutoConfiguration.class,
                        IdempotencyOutboxAutoConfiguration.class));
    }
}
