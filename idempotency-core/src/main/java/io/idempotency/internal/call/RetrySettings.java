package io.idempotency.internal.call;

import java.time.Duration;

import io.idempotency.internal.backoff.Backoff;

/**
 * The settings of retries after a serialization failure, a deadlock or a lost connection.
 *
 * @param timeout the time after which no further attempt is started; zero for none
 */
public record RetrySettings(Backoff backoff, Duration timeout) {

    private static final Duration REQUIRED_WORK_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration LONGEST_DELAY_OF_REQUIRED_WORK = Duration.ofSeconds(1);

    /** Returns the settings for required work, whose attempts are bounded by time alone. */
    RetrySettings forRequiredWork() {
        return new RetrySettings(backoff.atMost(LONGEST_DELAY_OF_REQUIRED_WORK), REQUIRED_WORK_TIMEOUT);
    }
}
