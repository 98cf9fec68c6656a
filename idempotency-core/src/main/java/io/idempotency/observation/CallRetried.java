package io.idempotency.observation;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/**
 * One execution of a call failed in a way that a repeat may mend, and is repeated inside of the same call.
 *
 * @param intent the intent
 * @param execution the number of the execution that failed, from 1
 * @param sqlState what PostgreSQL or the driver reported; {@code null} if the connection was lost without a word
 * @param failure what was thrown
 */
public record CallRetried(
        Intent intent, int execution, @Nullable String sqlState, Throwable failure) {}
