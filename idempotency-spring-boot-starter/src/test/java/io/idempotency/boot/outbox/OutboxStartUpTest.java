package io.idempotency.boot.outbox;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.kafka.IdempotencyKafkaAutoConfiguration;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.internal.outbox.InProcessSender;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Which beans an application gets, and what keeps it from starting. */
@PostgresTest
@Tag("full")
class OutboxStartUpTest {

    private final TestDatabase database;

    private final ApplicationContextRunner application;

    OutboxStartUpTest(TestDatabase database) {
        this.database = database;
        this.application = new ApplicationContextRunner()
                .withBean(DataSource.class, database::adminDataSource)
                .withPropertyValues("spring.kafka.bootstrap-servers=127.0.0.1:1")
                .withConfiguration(AutoConfigurations.of(
                        KafkaAutoConfiguration.class,
                        IdempotencyAutoConfiguration.class,
                        IdempotencyMigrationAutoConfiguration.class,
                        IdempotencyKafkaAutoConfiguration.class,
                        IdempotencyOutboxAutoConfiguration.class));
    }

    private ApplicationContextRunner withoutKafka() {
        return application.withClassLoader(new FilteredClassLoader(KafkaTemplate.class));
    }

    @Nested
    class Beans {

        @Test
        void kafkaSendsWhereItIsThere() {
            application.run(context -> assertThat(context)
                    .hasSingleBean(Outbox.class)
                    .hasSingleBean(RelayRunner.class)
                    .hasSingleBean(OutboxSender.class)
                    .doesNotHaveBean(InProcessSender.class));
        }

        @Test
        void handlersAreCalledWhereThereIsNoKafka() {
            withoutKafka().run(context -> assertThat(context).hasSingleBean(InProcessSender.class));
        }

        @ParameterizedTest
        @CsvSource({"in-process", "IN_PROCESS"})
        void handlersAreCalledIfThatIsWanted(String kind) {
            application
                    .withPropertyValues("idempotency.outbox.sender=" + kind)
                    .run(context -> assertThat(context)
                            .hasSingleBean(OutboxSender.class)
                            .hasSingleBean(InProcessSender.class));
        }

        @Test
        void anOwnSenderReplacesThem() {
            application
                    .withBean(OwnSender.class)
                    .run(context -> assertThat(context)
                            .hasSingleBean(OutboxSender.class)
                            .hasSingleBean(OwnSender.class));
        }

        @Test
        void anOwnOutboxReplacesTheLibrarys() {
            application
                    .withBean(OwnOutbox.class)
                    .run(context ->
                            assertThat(context).hasSingleBean(Outbox.class).hasSingleBean(OwnOutbox.class));
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

        @Test
        void kafkaThatIsNotThere() {
            assertReport(
                    withoutKafka().withPropertyValues("idempotency.outbox.sender=kafka"),
                    "there is no Kafka ProducerFactory",
                    "spring-boot-starter-kafka");
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
                    withoutKafka().withBean(Good.class).withBean(SameConsumer.class),
                    "both handle the topic 'orders' as the consumer 'orders'",
                    "The one that was there first keeps 'orders'");
        }

        @ParameterizedTest
        @CsvSource({"1, true, false, 2", "1, false, true, 2", "2, true, true, 3"})
        void aPoolWithTooFewConnections(int size, boolean handles, boolean listens, int needed) {
            ApplicationContextRunner tooSmall = (handles ? withoutKafka().withBean(Good.class) : application)
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
            "BadConsumer, The consumer of a message contains U+000A"
        })
        void aMethodThatCannotHandleMessages(String bean, String problem) throws ClassNotFoundException {
            Class<?> type = Class.forName(OutboxStartUpTest.class.getName() + "$" + bean);
            assertReport(withoutKafka().withBean(type), problem, "");
        }

        private void assertReport(ApplicationContextRunner runner, String problem, String action) {
            runner.run(context -> {
                StartupReport report = StartupReport.of(context.getStartupFailure());
                assertThat(report.description()).contains(problem);
                assertThat(report.action()).contains(action);
            });
        }
    }

    static class OwnSender implements OutboxSender {

        @Override
        public CompletionStage<Void> send(OutboxRecord message) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class OwnOutbox implements Outbox {

        @Override
        public UUID publish(OutboxMessage message) {
            return UUID.randomUUID();
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

    static class BadConsumer {

        @OutboxHandler(topic = "orders", consumer = "a\nb")
        void handle(String payload) {}
    }
}
