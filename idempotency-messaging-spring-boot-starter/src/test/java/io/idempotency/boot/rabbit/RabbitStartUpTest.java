package io.idempotency.boot.rabbit;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.core.KafkaTemplate;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.kafka.IdempotencyKafkaAutoConfiguration;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.inbox.IdempotencyInboxAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The applications that send to RabbitMQ. None of them connects when it starts. */
@PostgresTest
@Tag("full")
class RabbitStartUpTest {

    private final ApplicationContextRunner application;

    RabbitStartUpTest(TestDatabase database) {
        this.application = new ApplicationContextRunner()
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

    private ApplicationContextRunner withoutKafka() {
        return application.withClassLoader(new FilteredClassLoader(KafkaTemplate.class));
    }

    @Test
    void theConnectionsOfTheApplicationStayAsTheyAre() {
        withoutKafka().run(context -> {
            assertThat(context).hasSingleBean(RabbitSender.class);
            CachingConnectionFactory connections = context.getBean(CachingConnectionFactory.class);
            assertThat(connections.isPublisherConfirms()).isFalse();
            assertThat(connections.getPublisherConnectionFactory().isPublisherConfirms())
                    .isFalse();
        });
    }

    @Test
    void aRouteNamesItsTopicAsItIs() {
        withoutKafka()
                .withPropertyValues(
                        "idempotency.outbox.rabbit.exchange=shop",
                        "idempotency.outbox.rabbit.routes[invoices.new_ones].routing-key=invoices")
                .run(context -> {
                    IdempotencyRabbitProperties properties = context.getBean(IdempotencyRabbitProperties.class);
                    assertThat(properties.routingKeyOf("invoices.new_ones")).isEqualTo("invoices");
                    assertThat(properties.exchangeOf("invoices.new_ones")).isEqualTo("shop");
                });
    }

    /** It may never publish anything. */
    @Test
    void anApplicationWithSeveralConnectionFactoriesStarts() {
        severalConnectionFactories()
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RabbitSender.class));
    }

    @Test
    void severalConnectionFactoriesAreReportedIfRabbitIsWanted() {
        severalConnectionFactories()
                .withPropertyValues("idempotency.outbox.sender=rabbit")
                .run(context -> {
                    StartupReport report = StartupReport.of(context.getStartupFailure());
                    assertThat(report.description()).contains("several and none of them is primary");
                    assertThat(report.action()).contains("mark one ConnectionFactory as @Primary");
                });
    }

    /** Such an application has container factories of its own in the place of Spring Boot's. */
    private ApplicationContextRunner severalConnectionFactories() {
        return withoutKafka()
                .withBean("rabbitListenerContainerFactory", SimpleRabbitListenerContainerFactory.class)
                .withBean("first", ConnectionFactory.class, () -> new CachingConnectionFactory("localhost"))
                .withBean("second", ConnectionFactory.class, () -> new CachingConnectionFactory("localhost"));
    }
}
