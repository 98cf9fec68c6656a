package io.idempotency.messaging;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A received message whose deliveries have failed and that was not handled since then; for operators.
 *
 * @param consumer consumer of the message
 * @param messageId id of the message
 * @param type type of the message; {@code null} if the receiver declares none
 * @param attempts number of failed deliveries
 * @param failureCode code of the last failure
 * @param failureMessage message of the last failure
 * @param firstFailedAt time of the first failure, by the database's clock
 * @param lastFailedAt time of the last failure, by the database's clock
 */
public record FailingMessage(
        String consumer,
        String messageId,
        @Nullable String type,
        int attempts,
        String failureCode,
        String failureMessage,
        Instant firstFailedAt,
        Instant lastFailedAt) {}
