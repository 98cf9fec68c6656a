package io.idempotency.observation;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/**
 * The event that an execution of a call failed with a retryable failure and is repeated inside of the same call.
 *
 * @param intent intent of the call
 * @param execution number of the failed execution, from 1
 * @param sqlState SQLSTATE from PostgreSQL or the driver; {@code null} if none was reported
 * @param failure exception of the execution
 */
public record CallRetried(
        Intent intent, int execution, @Nullable String sqlState, Throwable failure) {}
