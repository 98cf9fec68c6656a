package io.idempotency;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A message of the outbox that is given up, for operators. Its payload is in the table {@code outbox_event}.
 *
 * @param messageId the message
 * @param topic where it was to go
 * @param type what it was to tell
 * @param orderingKey what its order is kept for; {@code null} if no order is kept
 * @param attempts how often it failed
 * @param lastError how it failed last
 * @param intent scope, caller and key of the idempotent call that published it, or consumer and message id of the delivery
 *     that did; {@code null} outside of both
 * @param createdAt when it was published, in the database's time
 */
public record DeadMessage(
        UUID messageId,
        String topic,
        String type,
        @Nullable String orderingKey,
        int attempts,
        String lastError,
        @Nullable Intent intent,
        Instant createdAt) {}
