package io.idempotency.messaging;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/**
 * A dead message of the outbox, which is not sent any more; for operators. Its payload is in the table
 * {@code outbox_event}.
 *
 * @param messageId id of the message
 * @param topic topic of the message
 * @param type type of the message
 * @param orderingKey ordering key; {@code null} if no order is kept
 * @param attempts number of failed attempts
 * @param lastError error of the last attempt
 * @param intent scope, caller and key of the idempotent call that published it, or consumer and message id of the
 *     delivery that did; {@code null} outside of both
 * @param createdAt time of publishing, by the database's clock
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
