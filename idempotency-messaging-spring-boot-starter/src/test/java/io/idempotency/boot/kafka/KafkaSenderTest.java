package io.idempotency.boot.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.support.serializer.JacksonJsonSerializer;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import org.springframework.kafka.test.utils.KafkaTestUtils;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.SenderUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** What a broker gets, and what it is like when there is none. */
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class KafkaSenderTest {

    private static final String TOPIC = "orders";

    private final EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 3, TOPIC);

    private KafkaSender sender;

    @BeforeAll
    void startBroker() {
        broker.brokerProperties(Map.of("auto.create.topics.enable", "false"));
        broker.afterPropertiesSet();
    }

    @AfterAll
    void stopBroker() {
        broker.destroy();
    }

    @AfterEach
    void disconnect() {
        if (sender != null) {
            sender.destroy();
        }
    }

    @Test
    void aMessageArrivesAsItsJsonWithKeyAndHeadersWhateverTheApplicationsSerializers() {
        UUID id = UUID.randomUUID();
        OutboxRecord message = message(id, TOPIC, "customer-7", "{\"number\":\"\u20ac1\"}");
        sender = sender(
                Map.of(
                        "bootstrap.servers",
                        broker.getBrokersAsString(),
                        "value.serializer",
                        JacksonJsonSerializer.class,
                        "transactional.id",
                        "of-the-application"),
                Duration.ofSeconds(30));
        join(sender.send(message));

        try (Consumer<String, String> consumer = consumer()) {
            broker.consumeFromAnEmbeddedTopic(consumer, TOPIC);
            ConsumerRecord<String, String> received = KafkaTestUtils.getSingleRecord(consumer, TOPIC);
            assertThat(received.key()).isEqualTo("customer-7");
            assertThat(received.value()).isEqualTo("{\"number\":\"\u20ac1\"}");
            assertThat(List.of(received.headers().toArray()))
                    .extracting(Header::key, header -> new String(header.value(), StandardCharsets.UTF_8))
                    .containsExactlyInAnyOrder(
                            tuple("traceparent", "00-1-2-01"),
                            tuple("message-id", id.toString()),
                            tuple("message-type", "OrderPlaced"));
        }
    }

    @Test
    void aMessageWithoutAPayloadIsATombstone() {
        String topic = TOPIC + "-deleted";
        sender = sender(Map.of("bootstrap.servers", broker.getBrokersAsString()), Duration.ofSeconds(30));
        broker.addTopics(topic);
        join(sender.send(message(UUID.randomUUID(), topic, "customer-7", null)));

        try (Consumer<String, String> consumer = consumer()) {
            broker.consumeFromAnEmbeddedTopic(consumer, topic);
            ConsumerRecord<String, String> received = KafkaTestUtils.getSingleRecord(consumer, topic);
            assertThat(received.key()).isEqualTo("customer-7");
            assertThat(received.value()).isNull();
        }
    }

    @Test
    void theProducerIsSafeWhateverTheApplicationsOwnOneIs() {
        Map<String, Object> settings = ProducerSettings.from(
                Map.of(
                        "bootstrap.servers",
                        broker.getBrokersAsString(),
                        "acks",
                        "1",
                        "enable.idempotence",
                        "false",
                        "retries",
                        "0",
                        "max.in.flight.requests.per.connection",
                        "20"),
                Duration.ofSeconds(30));

        assertThat(settings)
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .doesNotContainKeys("retries", "max.in.flight.requests.per.connection");
    }

    @Test
    void aMessageThatTheBrokerRefusesHasFailedByItself() {
        sender = sender(
                Map.of("bootstrap.servers", broker.getBrokersAsString(), "max.request.size", 1_000),
                Duration.ofSeconds(30));
        assertThatThrownBy(() ->
                        join(sender.send(message(UUID.randomUUID(), TOPIC, null, "\"" + "x".repeat(2_000) + "\""))))
                .satisfies(failure -> assertThat(failure.getCause())
                        .isNotInstanceOf(SenderUnavailableException.class)
                        .hasStackTraceContaining("RecordTooLargeException"));
    }

    /** Or else one message for a topic that is not there would pause all others, for as long as it is alone. */
    @Test
    void aTopicThatIsNotThereIsNoOutageAndDoesNotKeepOthersWaiting() {
        Duration sendTimeout = Duration.ofSeconds(8);
        sender = sender(Map.of("bootstrap.servers", broker.getBrokersAsString()), sendTimeout);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> join(sender.send(message(UUID.randomUUID(), "missing", null, "1"))))
                    .satisfies(failure -> assertThat(failure.getCause())
                            .isNotInstanceOf(SenderUnavailableException.class)
                            .hasStackTraceContaining("UnknownTopicOrPartitionException"));
        }
        long start = System.nanoTime();
        assertThatThrownBy(() -> join(sender.send(message(UUID.randomUUID(), "missing", null, "1"))))
                .hasStackTraceContaining("Kafka had no topic 'missing' a moment ago");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(sendTimeout.dividedBy(2));
    }

    @Test
    void withoutABrokerNothingCanBeSentAndThatIsSaidInTimeToTheRelayAlone(CapturedOutput output) {
        sender = sender(Map.of("bootstrap.servers", "127.0.0.1:1"), Duration.ofSeconds(1));
        long start = System.nanoTime();
        assertThatThrownBy(() -> join(sender.send(message(UUID.randomUUID(), TOPIC, "customer-7", "1"))))
                .hasCauseInstanceOf(SenderUnavailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
        assertThat(output).as("the log").doesNotContain("customer-7");
    }

    private static KafkaSender sender(Map<String, Object> settings, Duration sendTimeout) {
        return new KafkaSender(new DefaultKafkaProducerFactory<>(settings), sendTimeout);
    }

    private Consumer<String, String> consumer() {
        return new DefaultKafkaConsumerFactory<>(
                        KafkaTestUtils.consumerProps(broker, "test", true),
                        new StringDeserializer(),
                        new StringDeserializer())
                .createConsumer();
    }

    private static void join(CompletionStage<Void> answer) throws CompletionException {
        answer.toCompletableFuture().join();
    }

    private static OutboxRecord message(UUID id, String topic, String orderingKey, String payload) {
        return new OutboxRecord(
                id,
                topic,
                "OrderPlaced",
                orderingKey,
                null,
                null,
                payload,
                Map.of("traceparent", "00-1-2-01"),
                null,
                Instant.now(),
                Instant.now(),
                1);
    }
}
