package io.idempotency;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A message that a consumer has handled, for operators.
 *
 * @param consumer who received it
 * @param messageId the message
 * @param type what it tells; {@code null} if the receiver does not say
 * @param handledAt when it was handled, in the database's time
 * @param expiresAt when it may be forgotten
 */
public record HandledMessage(
        String consumer, String messageId, @Nullable String type, Instant handledAt, Instant expiresAt) {}
