package io.idempotency.boot.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyStartupException;

/** The settings of the outbox's producer, derived from the application's own. */
final class ProducerSettings {

    private static final int DEFAULT_REQUEST_TIMEOUT = 30_000;

    private static final int DEFAULT_MAX_BLOCK = 60_000;

    /** Settings that could lose or duplicate messages. */
    private static final List<String> NOT_COPIED = List.of(
            ProducerConfig.TRANSACTIONAL_ID_CONFIG,
            ProducerConfig.RETRIES_CONFIG,
            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION);

    private ProducerSettings() {}

    /**
     * Returns settings by which the producer times out before the relay: a message must not arrive after the relay's
     * next attempt. Payloads are JSON already, so the application's serializers are not used.
     */
    static Map<String, Object> from(Map<String, Object> applicationSettings, Duration sendTimeout) {
        int millis = (int) sendTimeout.toMillis();
        Map<String, Object> settings = new HashMap<>(applicationSettings);
        settings.keySet().removeAll(NOT_COPIED);
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        // The messages of one ordering key are sent one after another, so lingering would only delay them.
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis / 4 * 3);
        settings.put(
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                atMost(
                        millis / 2,
                        applicationSettings.get(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG),
                        DEFAULT_REQUEST_TIMEOUT));
        settings.put(
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                atMost(millis / 2, applicationSettings.get(ProducerConfig.MAX_BLOCK_MS_CONFIG), DEFAULT_MAX_BLOCK));
        try {
            return Map.copyOf(new ProducerConfig(settings).originals());
        } catch (ConfigException contradiction) {
            throw new IdempotencyStartupException(
                    "The settings of Kafka's producer do not fit the outbox: " + contradiction.getMessage() + ".",
                    "Correct spring.kafka.producer, or idempotency.outbox.send-timeout, which must be longer than the"
                            + " timeouts of the producer.",
                    contradiction);
        }
    }

    private static int atMost(int limit, @Nullable Object configured, int defaultValue) {
        return Math.min(limit, configured == null ? defaultValue : Integer.parseInt(configured.toString()));
    }
}
