package io.idempotency.boot.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.support.ProducerListener;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.outbox.SenderUnavailableException;

/**
 * Sends to the topic of the same name: the ordering key as key, the payload's JSON as value. A message is sent when all of
 * the broker's replicas that are in sync have it.
 */
final class KafkaSender implements OutboxSender, DisposableBean {

    private static final String MESSAGE_ID = "message-id";

    private static final String MESSAGE_TYPE = "message-type";

    /** Kafka lets its caller wait for a topic that it does not know, so that no other message could go meanwhile. */
    private static final Duration UNKNOWN_FOR = Duration.ofMinutes(1);

    private final Map<String, Long> unknownUntil = new ConcurrentHashMap<>();

    private final DefaultKafkaProducerFactory<String, byte[]> producers;

    private final KafkaTemplate<String, byte[]> template;

    KafkaSender(ProducerFactory<?, ?> applications, Duration sendTimeout) {
        producers = new DefaultKafkaProducerFactory<>(
                ProducerSettings.from(applications.getConfigurationProperties(), sendTimeout));
        template = new KafkaTemplate<>(producers);
        // Failures are reported by the relay: not once more for each message, and not with its ordering key.
        template.setProducerListener(new ProducerListener<>() {});
    }

    @Override
    public CompletionStage<Void> send(OutboxRecord message) {
        if (isUnknown(message.topic())) {
            return CompletableFuture.failedFuture(
                    new UnknownTopicOrPartitionException("Kafka had no topic '" + message.topic() + "' a moment ago"));
        }
        ProducerRecord<String, byte[]> sent =
                new ProducerRecord<>(message.topic(), message.orderingKey(), bytes(message.payload()));
        message.headers().forEach((name, value) -> sent.headers().add(name, bytes(value)));
        sent.headers().add(MESSAGE_ID, bytes(message.id().toString()));
        sent.headers().add(MESSAGE_TYPE, bytes(message.type()));
        try {
            return template.send(sent).thenAccept(acknowledged -> {}).exceptionally(failure -> {
                throw new CompletionException(classify(message, failure));
            });
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(classify(message, refused));
        }
    }

    @Override
    public void destroy() {
        producers.destroy();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private boolean isUnknown(String topic) {
        Long until = unknownUntil.get(topic);
        return until != null && System.nanoTime() - until < 0;
    }

    /**
     * What the broker says of a message is about the message; everything else is about the way to the broker. A topic that is
     * not there is about the message, although Kafka would have it tried again.
     */
    private Throwable classify(OutboxRecord message, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownTopicOrPartitionException) {
                unknownUntil.put(message.topic(), System.nanoTime() + UNKNOWN_FOR.toNanos());
                return failure;
            }
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RetriableException
                    || cause instanceof AuthenticationException
                    || cause instanceof ConfigException) {
                return new SenderUnavailableException("Kafka does not take messages: " + cause.getMessage(), failure);
            }
        }
        return failure;
    }
}
