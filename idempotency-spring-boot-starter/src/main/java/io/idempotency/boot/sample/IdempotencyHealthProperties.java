package io.idempotency.boot.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import static io.idempotency.boot.PropertyChecks.requirePositive;

/**
 * Settings of the health indicator: the limits beyond which health is degraded.
 *
 * @param maxPurgeDelay Longest time that expired rows may wait for the purge.
 * @param maxSampleAge Greatest age of a sample from which health is determined.
 */
@ConfigurationProperties("idempotency.health")
public record IdempotencyHealthProperties(
        @DefaultValue("1h") Duration maxPurgeDelay,
        @DefaultValue("5m") Duration maxSampleAge) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is not positive
     */
    public IdempotencyHealthProperties {
        requirePositive("idempotency.health.max-purge-delay", maxPurgeDelay);
        requirePositive("idempotency.health.max-sample-age", maxSampleAge);
    }
}
