package io.idempotency.internal.inbox;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.RetentionPolicy;

/** The configured retention of handled messages: the default, and values for consumers. */
public final class MessageRetention {

    private final RetentionPolicy policy;

    private final Duration byDefault;

    private final Map<String, Duration> byConsumer;

    /**
     * Checks the configuration.
     *
     * @throws IdempotencyStartupException if a retention is shorter than the minimum, or a consumer's name is not valid
     */
    public MessageRetention(RetentionPolicy policy, Duration byDefault, Map<String, Duration> byConsumer) {
        this.policy = policy;
        this.byDefault = CallOptions.requireRetention(byDefault);
        this.byConsumer = Map.copyOf(byConsumer);
        policy.requireLongEnough("idempotency.inbox.retention", byDefault);
        byConsumer.forEach((consumer, retention) -> {
            String property = "idempotency.inbox.retention-by-consumer." + consumer;
            requireConsumer(property, consumer);
            policy.requireLongEnough(property, retention);
        });
    }

    private static void requireConsumer(String property, String consumer) {
        try {
            ConsumerName.require(consumer);
        } catch (IllegalArgumentException malformed) {
            throw new IdempotencyStartupException(
                    property + " is not for a valid consumer: " + malformed.getMessage() + ".",
                    "Correct the property.",
                    malformed);
        }
    }

    /** Returns the policy for all that is kept. */
    RetentionPolicy policy() {
        return policy;
    }

    /** Returns the options of deliveries, apart from their retention. */
    CallOptions defaults() {
        return policy.defaults();
    }

    /**
     * Returns the retention of the messages that a consumer has handled.
     *
     * @param own retention of its annotation; {@code null} if none
     */
    Duration ofConsumer(String consumer, @Nullable Duration own) {
        Duration configured = byConsumer.get(consumer);
        if (configured != null) {
            return configured;
        }
        return own == null ? byDefault : own;
    }
}
