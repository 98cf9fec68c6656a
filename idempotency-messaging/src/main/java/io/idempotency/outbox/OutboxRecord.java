package io.idempotency.outbox;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/**
 * A recorded message of the outbox, which is to be sent.
 *
 * @param id id of the message, a version-7 UUID; the same each time that it is sent
 * @param topic topic of the message
 * @param type type of the message
 * @param orderingKey ordering key; {@code null} if no order is kept
 * @param aggregateType type of the aggregate; {@code null} if it is not set
 * @param aggregateId id of the aggregate; {@code null} if it is not set
 * @param payload payload, as JSON text; {@code null} if the message has none
 * @param headers headers of the message
 * @param intent scope, caller and key of the idempotent call that published it, or consumer and message id of the
 *     delivery that did; {@code null} outside of both
 * @param createdAt time of publishing, by the database's clock
 * @param dueAt time at which it was due first, by the database's clock: the time of publishing, or its not-before
 * @param attempt number of this attempt, from 1; attempts during an outage do not count
 */
public record OutboxRecord(
        UUID id,
        String topic,
        String type,
        @Nullable String orderingKey,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String payload,
        Map<String, String> headers,
        @Nullable Intent intent,
        Instant createdAt,
        Instant dueAt,
        int attempt) {

    /** Copies the headers. */
    public OutboxRecord {
        headers = Map.copyOf(headers);
    }

    /** Identifies the message without its payload, which may be confidential. */
    @Override
    public String toString() {
        return "message " + id + " (" + type + ") for topic " + topic;
    }
}
