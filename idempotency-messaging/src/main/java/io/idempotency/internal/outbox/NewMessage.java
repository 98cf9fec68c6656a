package io.idempotency.internal.outbox;

import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.outbox.OutboxMessage;

/**
 * A message that is to be recorded in the outbox.
 *
 * @param id the id, a version-7 UUID
 * @param message the message as it was published
 * @param payload the payload as JSON text; {@code null} if there is none
 * @param headers the headers of the message and of the context in which it is published
 * @param intent the intent of the surrounding call; {@code null} if there is none
 */
public record NewMessage(
        UUID id,
        OutboxMessage message,
        int lane,
        @Nullable String payload,
        Map<String, String> headers,
        @Nullable Intent intent) {}
