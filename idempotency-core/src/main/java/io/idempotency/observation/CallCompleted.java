package io.idempotency.observation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.Outcome;

/**
 * The event that one idempotent call has ended.
 *
 * @param scope scope of the call
 * @param intent the intent; {@code null} if the key was missing or malformed
 * @param outcome outcome of the call
 * @param attempt number of the attempt that ran, from 1; 0 if the key was not claimed. Only attempts that left a row
 *     are counted: failures of leased calls, and all failures with {@code idempotency.record-failed-attempts}
 * @param duration duration of the call, including commit or rollback if it had its own transaction
 * @param failure exception that the caller got; {@code null} if the call returned
 */
public record CallCompleted(
        String scope,
        @Nullable Intent intent,
        Outcome outcome,
        int attempt,
        Duration duration,
        @Nullable Throwable failure) {}
