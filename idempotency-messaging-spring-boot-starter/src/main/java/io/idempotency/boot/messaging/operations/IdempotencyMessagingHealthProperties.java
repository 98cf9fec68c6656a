package io.idempotency.boot.messaging.operations;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import static io.idempotency.boot.PropertyChecks.requirePositive;

/**
 * Settings of the health of messages: the limit beyond which it is degraded.
 *
 * @param maxOutboxAge Longest time that due messages may wait to be sent.
 */
@ConfigurationProperties("idempotency.health")
public record IdempotencyMessagingHealthProperties(
        @DefaultValue("10m") Duration maxOutboxAge) {

    /**
     * Checks the value.
     *
     * @throws IllegalArgumentException if the value is not positive
     */
    public IdempotencyMessagingHealthProperties {
        requirePositive("idempotency.health.max-outbox-age", maxOutboxAge);
    }
}
