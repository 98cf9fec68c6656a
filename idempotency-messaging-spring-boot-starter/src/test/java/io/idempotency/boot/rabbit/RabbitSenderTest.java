package io.idempotency.boot.rabbit;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.amqp.UncategorizedAmqpException;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

import io.idempotency.boot.rabbit.IdempotencyRabbitProperties.Route;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.SenderUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a broker gets, and the failures that it and its absence cause. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class RabbitSenderTest {

    private static final String QUEUE = "orders";

    private static final IdempotencyRabbitProperties DEFAULTS = new IdempotencyRabbitProperties("", Map.of());

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private RabbitBroker broker;

    private CachingConnectionFactory connections;

    private RabbitTemplate receiver;

    private RabbitSender sender;

    @BeforeAll
    void startBroker(@TempDir Path directory) {
        broker = RabbitBroker.start(directory);
    }

    @BeforeEach
    void connect() {
        connections = broker.connectionFactory();
        receiver = new RabbitTemplate(connections);
        receiver.setReceiveTimeout(10_000);
        RabbitAdmin admin = new RabbitAdmin(connections);
        TopicExchange shop = new TopicExchange("shop");
        Queue queue = new Queue(QUEUE);
        Binding binding = BindingBuilder.bind(queue).to(shop).with("shop.orders.#");
        admin.declareExchange(shop);
        admin.declareQueue(queue);
        admin.declareBinding(binding);
        admin.purgeQueue(QUEUE);
    }

    @AfterEach
    void disconnect() {
        if (sender != null) {
            sender.destroy();
        }
        connections.destroy();
    }

    @Test
    void aMessageArrivesAsItsJsonWithIdTypeKeyAndHeaders() {
        OutboxRecord message = message(QUEUE, "{\"number\":\"\u20ac1\"}");

        sender = sender(DEFAULTS);
        join(sender.send(message));

        Message received = receiver.receive(QUEUE);
        MessageProperties properties = received.getMessageProperties();
        assertThat(new String(received.getBody(), StandardCharsets.UTF_8)).isEqualTo("{\"number\":\"\u20ac1\"}");
        assertThat(properties.getMessageId()).isEqualTo(message.id().toString());
        assertThat(properties.getType()).isEqualTo("OrderPlaced");
        assertThat(properties.getContentType()).isEqualTo("application/json");
        assertThat(properties.getReceivedDeliveryMode()).isEqualTo(MessageDeliveryMode.PERSISTENT);
        assertThat(properties.getHeaders())
                .containsEntry("traceparent", "00-1-2-01")
                .containsEntry("ordering-key", "customer-7");
    }

    @Test
    void aMessageWithoutAPayloadHasAnEmptyBodyThatIsNoJson() {
        sender = sender(DEFAULTS);
        join(sender.send(message(QUEUE, null)));

        Message received = receiver.receive(QUEUE);
        assertThat(received.getBody()).isEmpty();
        assertThat(received.getMessageProperties().getContentType()).isNotEqualTo("application/json");
    }

    @Test
    void aTopicHasItsExchangeAndRoutingKey() {
        sender = sender(
                new IdempotencyRabbitProperties("shop", Map.of("placed", new Route(null, "shop.orders.placed"))));

        join(sender.send(message("placed", "1")));
        join(sender.send(message("shop.orders.cancelled", "2")));

        assertThat(receiver.receive(QUEUE).getMessageProperties().getReceivedRoutingKey())
                .isEqualTo("shop.orders.placed");
        assertThat(receiver.receive(QUEUE).getMessageProperties().getReceivedRoutingKey())
                .isEqualTo("shop.orders.cancelled");
    }

    /** RabbitMQ confirms it all the same. */
    @Test
    void aMessageThatReachesNoQueueHasFailedByItself() {
        sender = sender(DEFAULTS);

        assertThatThrownBy(() -> join(sender.send(message("nowhere", "1"))))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("no queue", "routing key 'nowhere'", "Bind a queue");
        join(sender.send(message(QUEUE, "2")));
    }

    @Test
    void anExchangeThatDoesNotExistFailsItsOwnMessagesOnly() {
        RabbitSender sender = sender(new IdempotencyRabbitProperties("", Map.of("lost", new Route("missing", null))));

        CompletionStage<Void> lost = sender.send(message("lost", "1"));
        CompletionStage<Void> sent = sender.send(message(QUEUE, "2"));

        assertThatThrownBy(() -> join(lost))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "the exchange 'missing' with the routing key 'lost'", "Does the exchange exist?");
        join(sent);
    }

    @Test
    void withoutABrokerNothingCanBeSent() {
        sender = new RabbitSender(new CachingConnectionFactory("127.0.0.1", 1), DEFAULTS);

        assertThatThrownBy(() -> join(sender.send(message(QUEUE, "1"))))
                .hasCauseInstanceOf(SenderUnavailableException.class);
    }

    /** The client of RabbitMQ does not even send it. */
    @Test
    void aMessageThatIsTooLongForTheProtocolHasFailedByItself() {
        sender = sender(DEFAULTS);

        assertThatThrownBy(() -> join(sender.send(message("\u20ac".repeat(100), "1"))))
                .hasCauseInstanceOf(UncategorizedAmqpException.class);
        join(sender.send(message(QUEUE, "2")));
    }

    @Test
    void aBrokerThatIsLostBeforeItConfirmsIsAnOutage() {
        sender = sender(DEFAULTS);
        join(sender.send(message(QUEUE, "1")));
        broker.pause();
        CompletionStage<Void> unconfirmed = sender.send(message(QUEUE, "2"));
        broker.kill();

        assertThatThrownBy(() -> join(unconfirmed)).hasCauseInstanceOf(SenderUnavailableException.class);

        broker.start();
        join(sender.send(message(QUEUE, "3")));
    }

    /** Such a broker reads no more, until it has memory again or is started again. */
    @Test
    void aBrokerWithoutMemoryIsAnOutageUntilItIsStartedAgain() {
        sender = sender(DEFAULTS);
        join(sender.send(message(QUEUE, "1")));
        broker.control("set_vm_memory_high_watermark", "absolute", "1");
        Awaitility.await()
                .timeout(PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(() -> sender.send(message(QUEUE, "2"))
                                .toCompletableFuture()
                                .get(5, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(SenderUnavailableException.class)
                        .hasMessageContaining("blocked the connection"));

        broker.kill();
        broker.start();

        join(sender.send(message(QUEUE, "3")));
    }

    private RabbitSender sender(IdempotencyRabbitProperties properties) {
        return new RabbitSender(broker.connectionFactory(), properties);
    }

    private static void join(CompletionStage<Void> answer) {
        answer.toCompletableFuture().join();
    }

    private static OutboxRecord message(String topic, String payload) {
        return new OutboxRecord(
                UUID.randomUUID(),
                topic,
                "OrderPlaced",
                "customer-7",
                null,
                null,
                payload,
                Map.of("traceparent", "00-1-2-01"),
                null,
                Instant.EPOCH,
                Instant.EPOCH,
                1);
    }
}
