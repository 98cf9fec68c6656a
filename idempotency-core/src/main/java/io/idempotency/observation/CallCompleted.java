package io.idempotency.observation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.Outcome;

/**
 * One idempotent call is over.
 *
 * @param scope the scope that was called
 * @param intent the intent; {@code null} if the key was missing or malformed
 * @param outcome what became of the call
 * @param attempt the number of the attempt that ran, from 1; 0 if the key was not claimed. Above 1 only after attempts that
 *     left a row: those of leased calls, and with {@code idempotency.record-failed-attempts} all
 * @param duration the time from the call to its return, its commit or rollback included where it had its own
 *     transaction
 * @param failure what the caller got instead of a result; {@code null} if it got one
 */
public record CallCompleted(
        String scope,
        @Nullable Intent intent,
        Outcome outcome,
        int attempt,
        Duration duration,
        @Nullable Throwable failure) {}
