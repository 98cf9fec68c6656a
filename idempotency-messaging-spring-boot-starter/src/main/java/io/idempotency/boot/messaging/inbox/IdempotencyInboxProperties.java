package io.idempotency.boot.messaging.inbox;

import java.time.Duration;
import java.util.Map;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.idempotency.internal.operation.CallOptions;

import static io.idempotency.boot.PropertyChecks.requireInRange;

/**
 * The settings of received messages.
 *
 * @param retention Time for which handled messages and failures of messages are kept. Must be longer than the time
 *     after which a broker or provider may redeliver a message.
 * @param retentionByConsumer Retention for single consumers, by name. It overrides the retention of their
 *     receivers.
 */
@ConfigurationProperties("idempotency.inbox")
public record IdempotencyInboxProperties(
        @DefaultValue("14d") Duration retention,
        @DefaultValue Map<String, Duration> retentionByConsumer) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the duration is out of range
     */
    public IdempotencyInboxProperties {
        requireInRange("idempotency.inbox.retention", () -> CallOptions.requireRetention(retention));
        retentionByConsumer.forEach((consumer, ofConsumer) -> requireInRange(
                "idempotency.inbox.retention-by-consumer." + consumer, () -> CallOptions.requireRetention(ofConsumer)));
        retentionByConsumer = Map.copyOf(retentionByConsumer);
    }
}
