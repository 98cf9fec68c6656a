package io.idempotency.messaging;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A message that a consumer has handled; for operators.
 *
 * @param consumer consumer of the message
 * @param messageId id of the message
 * @param type type of the message; {@code null} if the receiver declares none
 * @param handledAt time of handling, by the database's clock
 * @param expiresAt time from which the purge may delete the row
 */
public record HandledMessage(
        String consumer, String messageId, @Nullable String type, Instant handledAt, Instant expiresAt) {}
