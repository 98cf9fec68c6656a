package io.idempotency.outbox;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/**
 * A message as it was recorded, on its way out.
 *
 * @param id the same each time it is sent; a version-7 UUID
 * @param topic where it goes
 * @param type what it tells
 * @param orderingKey what its order is kept for; {@code null} if no order is kept
 * @param aggregateType the kind of thing that it is about; {@code null} if not told
 * @param aggregateId the thing that it is about; {@code null} if not told
 * @param payload what it says, as JSON text
 * @param headers what else goes with it
 * @param intent scope, caller and key of the idempotent call that published it, or consumer and message id of the delivery
 *     that did; {@code null} outside of both
 * @param createdAt when it was published, in the database's time
 * @param dueAt when it was to be sent, in the database's time: when it was published, or its not-before
 * @param attempt the number of this attempt at sending it, from 1; attempts while nothing could be sent do not count
 */
public record OutboxRecord(
        UUID id,
        String topic,
        String type,
        @Nullable String orderingKey,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        String payload,
        Map<String, String> headers,
        @Nullable Intent intent,
        Instant createdAt,
        Instant dueAt,
        int attempt) {

    /** Copies the headers. */
    public OutboxRecord {
        headers = Map.copyOf(headers);
    }

    /** Tells which message it is; not the payload, which need not be meant for logs. */
    @Override
    public String toString() {
        return "message " + id + " (" + type + ") for topic " + topic;
    }
}
