package io.idempotency.boot.rabbit;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Settings of the messages that the outbox sends to RabbitMQ.
 *
 * @param exchange Exchange that messages are sent to; by default the broker's default exchange, which delivers to the queue with the name
 *     of the routing key.
 * @param routes Exchange and routing key of single topics, by topic.
 */
@ConfigurationProperties("idempotency.outbox.rabbit")
public record IdempotencyRabbitProperties(
        @DefaultValue("") String exchange, @DefaultValue Map<String, Route> routes) {

    private static final int LONGEST_ROUTING_KEY = 255;

    /**
     * The exchange and the routing key of a topic.
     *
     * @param exchange Exchange, by default the exchange of all topics.
     * @param routingKey Routing key, by default the topic.
     */
    public record Route(@Nullable String exchange, @Nullable String routingKey) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if the routing key is longer than RabbitMQ allows
         */
        public Route {
            Assert.isTrue(
                    routingKey == null || routingKey.getBytes(StandardCharsets.UTF_8).length <= LONGEST_ROUTING_KEY,
                    () -> "routing-key in idempotency.outbox.rabbit.routes must have at most " + LONGEST_ROUTING_KEY
                            + " bytes in UTF-8");
        }
    }

    String exchangeOf(String topic) {
        Route route = routes.get(topic);
        return route == null || route.exchange() == null ? exchange : route.exchange();
    }

    String routingKeyOf(String topic) {
        Route route = routes.get(topic);
        return route == null || route.routingKey() == null ? topic : route.routingKey();
    }
}
