package io.idempotency.boot.rabbit;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.core.KafkaTemplate;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.kafka.IdempotencyKafkaAutoConfiguration;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.outbox.OutboxSender;
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
                        IdempotencyMigrationAutoConfiguration.class,
                        IdempotencyKafkaAutoConfiguration.class,
                        IdempotencyRabbitAutoConfiguration.class,
                        IdempotencyOutboxAutoConfiguration.class));
    }

    private ApplicationContextRunner withoutKafka() {
        return application.withClassLoader(new FilteredClassLoader(KafkaTemplate.class));
    }

    @Test
    void rabbitSendsWhereThereIsNoKafka() {
        withoutKafka()
                .run(context ->
                        assertThat(context).hasSingleBean(OutboxSender.class).hasSingleBean(RabbitSender.class));
    }

    @Test
    void kafkaSendsWhereThereAreBoth() {
        application.run(
                context -> assertThat(context).hasSingleBean(OutboxSender.class).doesNotHaveBean(RabbitSender.class));
    }

    @Test
    void rabbitSendsIfThatIsWanted() {
        application
                .withPropertyValues("idempotency.outbox.sender=rabbit")
                .run(context ->
                        assertThat(context).hasSingleBean(OutboxSender.class).hasSingleBean(RabbitSender.class));
    }

    @Test
    void rabbitDoesNotSendIfHandlersAreWanted() {
        withoutKafka()
                .withPropertyValues("idempotency.outbox.sender=in-process")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RabbitSender.class));
    }

    @Test
    void theConnectionsOfTheApplicationStayAsTheyAre() {
        withoutKafka().run(context -> {
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
        assertReport(
                severalConnectionFactories().withPropertyValues("idempotency.outbox.sender=rabbit"),
                "several and none of them is primary",
                "mark one ConnectionFactory as @Primary");
    }

    /** Such an application has container factories of its own in the place of Spring Boot's. */
    private ApplicationContextRunner severalConnectionFactories() {
        return withoutKafka()
                .withBean("rabbitListenerContainerFactory", SimpleRabbitListenerContainerFactory.class)
                .withBean("first", ConnectionFactory.class, () -> new CachingConnectionFactory("localhost"))
                .withBean("second", ConnectionFactory.class, () -> new CachingConnectionFactory("localhost"));
    }

    @Test
    void rabbitThatIsNotThereIsReported() {
        assertReport(
                application
                        .withClassLoader(new FilteredClassLoader(RabbitTemplate.class))
                        .withPropertyValues("idempotency.outbox.sender=rabbit"),
                "idempotency.outbox.sender = rabbit, but there is no ConnectionFactory for RabbitMQ",
                "Add spring-boot-starter-amqp");
    }

    private static void assertReport(ApplicationContextRunner runner, String description, String action) {
        runner.run(context -> {
            StartupReport report = StartupReport.of(context.getStartupFailure());
            assertThat(report.description()).contains(description);
            assertThat(report.action()).contains(action);
        });
    }
}
