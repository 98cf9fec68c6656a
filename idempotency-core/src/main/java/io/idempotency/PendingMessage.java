package io.idempotency;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A message of the outbox that is not sent yet, for operators.
 *
 * @param messageId the message
 * @param topic where it is to go
 * @param type what it is to tell
 * @param orderingKey what its order is kept for; {@code null} if no order is kept
 * @param attempts how often it failed
 * @param lastError how it failed last; {@code null} if it did not fail
 * @param intent scope, caller and key of the idempotent call that published it, or consumer and message id of the delivery
 *     that did; {@code null} outside of both
 * @param createdAt when it was published, in the database's time
 * @param dueAt when it was to be sent, before any attempt failed
 * @param nextAttemptAt the earliest time of the next attempt
 * @param waitsFor the first message of its ordering key, which has to be sent before; {@code null} if it is the first itself
 */
public record PendingMessage(
        UUID messageId,
        String topic,
        String type,
        @Nullable String orderingKey,
        int attempts,
        @Nullable String lastError,
        @Nullable Intent intent,
        Instant createdAt,
        Instant dueAt,
        Instant nextAttemptAt,
        @Nullable UUID waitsFor) {}
