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
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.support.ProducerListener;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.outbox.SenderUnavailableException;

/**
 * The sender of messages to the Kafka topic of the same name, with the ordering key as key and the payload's JSON as
 * value, or none, which is a tombstone. A message counts as sent when all in-sync replicas have it.
 */
final class KafkaSender implements OutboxSender, DisposableBean {

    private static final String MESSAGE_ID = "message-id";

    private static final String MESSAGE_TYPE = "message-type";

    /** The producer blocks its caller for an unknown topic, which would delay all other messages. */
    private static final Duration UNKNOWN_TOPIC_PAUSE = Duration.ofMinutes(1);

    private final Map<String, Long> unknownUntil = new ConcurrentHashMap<>();

    private final DefaultKafkaProducerFactory<String, byte[]> producers;

    private final KafkaTemplate<String, byte[]> template;

    KafkaSender(ProducerFactory<?, ?> applicationFactory, Duration sendTimeout) {
        producers = new DefaultKafkaProducerFactory<>(
                ProducerSettings.from(applicationFactory.getConfigurationProperties(), sendTimeout));
        template = new KafkaTemplate<>(producers);
        // The relay reports failures. The default listener would log each one again, with the ordering key.
        template.setProducerListener(new ProducerListener<>() {});
    }

    @Override
    public CompletionStage<Void> send(OutboxRecord message) {
        if (isUnknown(message.topic())) {
            return CompletableFuture.failedFuture(
                    new UnknownTopicOrPartitionException("Kafka had no topic '" + message.topic() + "' a moment ago"));
        }
        ProducerRecord<String, byte[]> sent =
                new ProducerRecord<>(message.topic(), message.orderingKey(), payload(message));
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

    private static byte @Nullable [] payload(OutboxRecord message) {
        return message.payload() == null ? null : bytes(message.payload());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private boolean isUnknown(String topic) {
        Long until = unknownUntil.get(topic);
        return until != null && System.nanoTime() - until < 0;
    }

    /**
     * Distinguishes failures of a message from an outage of the broker. An unknown topic is a failure of the message,
     * although Kafka calls it retriable.
     */
    private Throwable classify(OutboxRecord message, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownTopicOrPartitionException) {
                unknownUntil.put(message.topic(), System.nanoTime() + UNKNOWN_TOPIC_PAUSE.toNanos());
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
