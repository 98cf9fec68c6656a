package io.idempotency.internal.call.attempt;

import java.time.Duration;

import io.idempotency.internal.backoff.Backoff;

/**
 * The settings of retries after a serialization failure, a deadlock or a lost connection.
 *
 * @param timeout the time after which no further attempt is started; zero for none
 */
public record RetrySettings(Backoff backoff, Duration timeout) {}
