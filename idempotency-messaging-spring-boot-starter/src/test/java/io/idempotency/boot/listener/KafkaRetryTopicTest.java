package io.idempotency.boot.listener;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.DltHandler;
import org.springframework.kafka.annotation.EnableKafkaRetryTopic;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A gap in a strict stream that shares its partition with others, behind a retry topic. */
@PostgresTest
@Tag("full")
class KafkaRetryTopicTest {

    private static final String TOPIC = "ordered-deposits";

    private final TestDatabase database;

    KafkaRetryTopicTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void aGapBlocksNobodyAndIsFilledLaterAndAMessageWithoutAnIdIsPutAsideAtOnce() {
        try (KafkaBroker broker = KafkaBroker.start(1, TOPIC);
                ConfigurableApplicationContext application = JdbcTestApplication.start(
                        database,
                        new Class<?>[] {Kafka.class, Listener.class, Deliveries.class},
                        "spring.kafka.bootstrap-servers=" + broker.address(),
                        "spring.kafka.consumer.group-id=ordered",
                        "spring.kafka.consumer.auto-offset-reset=earliest")) {
            Deliveries deliveries = application.getBean(Deliveries.class);
            send(application, "m-2", "ada", 2);
            send(application, null, "ada", 1);
            send(application, "m-3", "bob", 1);

            Awaitility.await().untilAsserted(() -> {
                assertThat(deliveries.handled).containsExactly("bob 1");
                assertThat(deliveries.putAside).containsExactly("ada 1");
            });
            send(application, "m-1", "ada", 1);

            Awaitility.await()
                    .untilAsserted(() -> assertThat(deliveries.handled).containsExactly("bob 1", "ada 1", "ada 2"));
            assertThat(deliveries.outcomes).contains(MessageOutcome.GAP).containsOnlyOnce(MessageOutcome.INVALID_ID);
        }
    }

    @SuppressWarnings("unchecked")
    private static void send(
            ConfigurableApplicationContext application, @Nullable String id, String stream, int version) {
        ProducerRecord<String, String> message = new ProducerRecord<>(TOPIC, stream, String.valueOf(version));
        if (id != null) {
            message.headers().add("message-id", id.getBytes(StandardCharsets.UTF_8));
        }
        application.getBean(KafkaTemplate.class).send(message).join();
    }

    static class Deliveries implements MessagingListener {

        final List<String> handled = new CopyOnWriteArrayList<>();

        final List<String> putAside = new CopyOnWriteArrayList<>();

        final List<MessageOutcome> outcomes = new CopyOnWriteArrayList<>();

        @Override
        public void messageReceived(MessageReceived event) {
            outcomes.add(event.outcome());
        }
    }

    static class Listener {

        private final Deliveries deliveries;

        Listener(Deliveries deliveries) {
            this.deliveries = deliveries;
        }

        @RetryableTopic(
                attempts = "1000",
                backOff = @BackOff(delay = 100),
                exclude = {
                    MissingIdempotencyKeyException.class,
                    InvalidIdempotencyKeyException.class,
                    MessageConflictException.class
                })
        @KafkaListener(topics = TOPIC)
        @Transactional
        @IdempotentReceiver(
                consumer = "ordered-deposits",
                messageId = "#messageId",
                stream = "#record.key()",
                version = "T(Long).parseLong(#record.value())",
                order = DeliveryOrder.STRICT)
        public void receive(
                ConsumerRecord<String, String> record,
                @Header(name = "message-id", required = false) @Nullable String messageId) {
            deliveries.handled.add(textOf(record));
        }

        @DltHandler
        public void putAside(ConsumerRecord<String, String> record) {
            deliveries.putAside.add(textOf(record));
        }

        private static String textOf(ConsumerRecord<String, String> record) {
            return record.key() + " " + record.value();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableKafkaRetryTopic
    @ImportAutoConfiguration(KafkaAutoConfiguration.class)
    static class Kafka {

        @Bean
        TaskScheduler scheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }
}
