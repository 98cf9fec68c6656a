package io.idempotency;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A recorded step of a leased call; for operators.
 *
 * @param name name of the step
 * @param attempt number of the attempt that ran it
 * @param recordedAt time at which it was recorded, by the database's clock
 * @param failureCode code of its final failure; {@code null} if it has succeeded
 * @param failureMessage message of its final failure; {@code null} if it has succeeded
 */
public record StepRecord(
        String name,
        int attempt,
        Instant recordedAt,
        @Nullable String failureCode,
        @Nullable String failureMessage) {}
