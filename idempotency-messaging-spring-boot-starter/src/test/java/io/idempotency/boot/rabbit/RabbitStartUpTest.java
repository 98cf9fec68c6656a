package io.idempotency.boot.rabbit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.core.KafkaTemplate;

import io.idempotency.boot.outbox.SendingApplication;
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
        this.application = SendingApplication.on(database);
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
