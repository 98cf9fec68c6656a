package io.idempotency.boot.outbox;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/** Which beans an application gets, and what keeps it from starting. */
@PostgresTest
@Tag("full")
class OutboxStartUpTest {

    private final TestDatabase database;

    private final ApplicationContextRunner application;

    OutboxStartUpTest(TestDatabase database) {
        this.database = database;
        this.application = SendingApplication.on(database);
    }

    private ApplicationContextRunner without(Class<?>... libraries) {
        return application.withClassLoader(new FilteredClassLoader(libraries));
    }

    private ApplicationContextRunner withoutBrokers() {
        return without(KafkaTemplate.class, RabbitTemplate.class);
    }

    @Nested
    class Beans {

        static Stream<Arguments> senders() {
            return Stream.of(
                    argumentSet("Kafka beside RabbitMQ", List.of(), "auto", "KafkaSender"),
                    argumentSet("no Kafka", List.of(KafkaTemplate.class), "auto", "RabbitSender"),
                    argumentSet(
                            "neither", List.of(KafkaTemplate.class, RabbitTemplate.class), "auto", "InProcessSender"),
                    argumentSet("handlers are wanted", List.of(), "in-process", "InProcessSender"),
                    argumentSet("as a constant", List.of(), "IN_PROCESS", "InProcessSender"),
                    argumentSet("RabbitMQ is wanted", List.of(), "rabbit", "RabbitSender"));
        }

        @ParameterizedTest
        @MethodSource("senders")
        void whoSendsDependsOnWhatIsThereAndWanted(List<Class<?>> missing, String wanted, String sender) {
            without(missing.toArray(Class<?>[]::new))
                    .withPropertyValues("idempotency.outbox.sender=" + wanted)
                    .run(context -> {
                        assertThat(context).hasSingleBean(Outbox.class).hasSingleBean(RelayRunner.class);
                        assertThat(context.getBeansOfType(OutboxSender.class).values())
                                .extracting(found -> found.getClass().getSimpleName())
                                .containsExactly(sender);
                    });
        }

        @Test
        void anOwnSenderReplacesThem() {
            OutboxSender own = message -> CompletableFuture.completedFuture(null);
            application
                    .withBean("own", OutboxSender.class, () -> own)
                    .run(context ->
                            assertThat(context).getBean(OutboxSender.class).isSameAs(own));
        }

        @Test
        void anOwnOutboxReplacesTheLibrarys() {
            Outbox own = message -> UUID.randomUUID();
            application
                    .withBean("own", Outbox.class, () -> own)
                    .run(context -> assertThat(context).getBean(Outbox.class).isSameAs(own));
        }

        @Test
        void anInstanceNeedNotSend() {
            application
                    .withPropertyValues("idempotency.outbox.relay=false")
                    .run(context ->
                            assertThat(context).hasSingleBean(Outbox.class).doesNotHaveBean(RelayRunner.class));
        }

        @ParameterizedTest
        @CsvSource({"idempotency.outbox.enabled=false", "idempotency.enabled=false"})
        void thereNeedNotBeAnOutbox(String property) {
            application
                    .withPropertyValues(property)
                    .run(context -> assertThat(context)
                            .hasNotFailed()
                            .doesNotHaveBean(Outbox.class)
                            .doesNotHaveBean(OutboxSender.class)
                            .doesNotHaveBean(RelayRunner.class));
        }
    }

    @Nested
    class Refusals {

        @Test
        void handlersBesideKafka() {
            assertReport(
                    application.withBean(Good.class),
                    "There are methods with @OutboxHandler for [orders], but all messages go to",
                    "idempotency.outbox.sender=in-process");
        }

        @ParameterizedTest
        @CsvSource({
            "kafka, there is no Kafka ProducerFactory, Add spring-boot-starter-kafka",
            "rabbit, 'idempotency.outbox.sender = rabbit, but there is no ConnectionFactory for RabbitMQ', Add spring-boot-starter-amqp"
        })
        void aBrokerThatIsNotThere(String wanted, String problem, String action) {
            assertReport(withoutBrokers().withPropertyValues("idempotency.outbox.sender=" + wanted), problem, action);
        }

        @Test
        void aProducerWithASettingThatKafkaDoesNotKnow() {
            assertReport(
                    application.withPropertyValues("spring.kafka.producer.compression-type=smallest"),
                    "compression.type",
                    "spring.kafka.producer");
        }

        @Test
        void twoHandlersThatAreOneConsumer() {
            assertReport(
                    withoutBrokers().withBean(Good.class).withBean(SameConsumer.class),
                    "both handle the topic 'orders' as the consumer 'orders'",
                    "The one that was there first keeps 'orders'");
        }

        @ParameterizedTest
        @CsvSource({"1, true, false, 2", "1, false, true, 2", "2, true, true, 3"})
        void aPoolWithTooFewConnections(int size, boolean handles, boolean listens, int needed) {
            ApplicationContextRunner tooSmall = (handles ? withoutBrokers().withBean(Good.class) : application)
                    .withBean("pool", DataSource.class, () -> database.dataSource(size))
                    .withPropertyValues("idempotency.data-source=pool", "idempotency.outbox.notifications=" + listens);
            assertReport(
                    tooSmall,
                    "the outbox needs " + needed,
                    "spring.datasource.hikari.maximum-pool-size to at least " + needed);
        }

        @ParameterizedTest
        @CsvSource({
            "ReturnsSomething, returns something",
            "TakesNothing, has parameters that a message cannot give",
            "TakesTwoPayloads, has parameters that a message cannot give",
            "Apart, with the propagation REQUIRES_NEW",
            "Asynchronous, is @Async",
            "Leased, with the mode LEASED",
            "ReceivesItself, is an @IdempotentReceiver as the consumer 'orders'",
            "BadConsumer, The consumer of a message contains U+000A"
        })
        void aMethodThatCannotHandleMessages(String bean, String problem) throws ClassNotFoundException {
            Class<?> type = Class.forName(OutboxStartUpTest.class.getName() + "$" + bean);
            assertReport(
                    application
                            .withPropertyValues("idempotency.outbox.sender=in-process")
                            .withBean(type),
                    problem,
                    "");
        }

        private void assertReport(ApplicationContextRunner runner, String problem, String action) {
            runner.run(context -> {
                StartupReport report = StartupReport.of(context.getStartupFailure());
                assertThat(report.description()).contains(problem);
                assertThat(report.action()).contains(action);
            });
        }
    }

    static class Good {

        @OutboxHandler(topic = "orders")
        void handle(String payload) {}
    }

    static class SameConsumer {

        @OutboxHandler(topic = "orders")
        void handle(OutboxRecord message) {}
    }

    static class ReturnsSomething {

        @OutboxHandler(topic = "orders")
        String handle(String payload) {
            return payload;
        }
    }

    static class TakesNothing {

        @OutboxHandler(topic = "orders")
        void handle() {}
    }

    static class TakesTwoPayloads {

        @OutboxHandler(topic = "orders")
        void handle(String payload, List<String> another) {}
    }

    static class Apart {

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @OutboxHandler(topic = "orders")
        void handle(String payload) {}
    }

    @Async
    static class Asynchronous {

        @OutboxHandler(topic = "orders")
        void handle(String payload) {}
    }

    static class Leased {

        @OutboxHandler(topic = "orders")
        @Idempotent(scope = "transfers", key = "#payload", mode = IdempotencyMode.LEASED)
        public void handle(String payload) {}
    }

    static class ReceivesItself {

        @OutboxHandler(topic = "orders")
        @IdempotentReceiver(consumer = "orders", messageId = "#message.id()")
        public void handle(OutboxRecord message) {}
    }

    static class BadConsumer {

        @OutboxHandler(topic = "orders", consumer = "a\nb")
        void handle(String payload) {}
    }
}
