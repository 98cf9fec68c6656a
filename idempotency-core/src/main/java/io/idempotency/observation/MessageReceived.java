package io.idempotency.observation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * One delivery of a message is over.
 *
 * @param consumer who received
 * @param messageId the message; {@code null} if its id was missing or malformed
 * @param outcome what became of the delivery
 * @param attempt the number of this delivery among those that were taken for handling, from 1; 0 if it was not taken;
 *     always 1 in a batch
 * @param duration the time from the call to its return, its commit or rollback included where it had its own
 *     transaction or is of a batch
 * @param failure what the caller got instead of a result; {@code null} if it got one, and in a batch whose transaction was
 *     rolled back
 */
public record MessageReceived(
        String consumer,
        @Nullable String messageId,
        MessageOutcome outcome,
        int attempt,
        Duration duration,
        @Nullable Throwable failure) {}
