package io.idempotency.messaging;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The event that one delivery of a message has ended.
 *
 * @param consumer consumer of the message
 * @param messageId id of the message; {@code null} if its id was missing or malformed
 * @param outcome outcome of the delivery
 * @param attempt number of the attempt at the message, from 1; 0 if this delivery did not claim it; always 1 in a batch
 * @param duration duration of the delivery, including commit or rollback if it had its own transaction or is part of a
 *     batch
 * @param failure exception that the caller got; {@code null} if the delivery returned, and in a batch whose transaction
 *     was rolled back
 */
public record MessageReceived(
        String consumer,
        @Nullable String messageId,
        MessageOutcome outcome,
        int attempt,
        Duration duration,
        @Nullable Throwable failure) {}
