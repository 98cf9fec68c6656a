package io.idempotency.internal.outbox;

import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.outbox.OutboxMessage;

/**
 * A message with everything that is computed once, to be recorded. Internal.
 *
 * @param id a version-7 UUID
 * @param message as it was published
 * @param lane that it is sent in
 * @param payload as JSON text
 * @param headers of the message and of the context that it is published in
 * @param intent of the surrounding call; {@code null} if there is none
 */
public record NewMessage(
        UUID id,
        OutboxMessage message,
        int lane,
        String payload,
        Map<String, String> headers,
        @Nullable Intent intent) {}
