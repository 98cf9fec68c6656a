package io.idempotency;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A received message whose deliveries have failed and that was not handled since, for operators.
 *
 * @param consumer who receives
 * @param messageId the message
 * @param type what it tells; {@code null} if the receiver does not say
 * @param attempts how many of its deliveries failed
 * @param failureCode the code of the last failure
 * @param failureMessage the message of the last failure
 * @param firstFailedAt when a delivery failed first, in the database's time
 * @param lastFailedAt when a delivery failed last
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
