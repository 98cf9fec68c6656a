package io.idempotency.messaging;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/**
 * A message of the outbox that is not sent yet; for operators.
 *
 * @param messageId id of the message
 * @param topic topic of the message
 * @param type type of the message
 * @param orderingKey ordering key; {@code null} if no order is kept
 * @param attempts number of failed attempts
 * @param lastError error of the last attempt; {@code null} if it did not fail
 * @param intent scope, caller and key of the idempotent call that published it, or consumer and message id of the
 *     delivery that did; {@code null} outside of both
 * @param createdAt time of publishing, by the database's clock
 * @param dueAt time at which it was due first, before any attempt failed
 * @param nextAttemptAt earliest time of the next attempt
 * @param waitsFor id of the first message of its ordering key, which must be sent before; {@code null} if this is the
 *     first
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
