package io.idempotency.internal.execution;

import java.time.Duration;

import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.operation.CallOptions;

/**
 * The settings of retries after a serialization failure, a deadlock or a lost connection.
 *
 * @param maxAttempts the largest number of attempts, the first one included; at least 1
 * @param backoff the pauses between them
 * @param timeout the time after which no further attempt is started; zero for none
 */
public record RetrySettings(int maxAttempts, Backoff backoff, Duration timeout) {

    private static final Duration REQUIRED_WORK_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration LONGEST_DELAY_OF_REQUIRED_WORK = Duration.ofSeconds(1);

    /** Returns the settings for required work, whose attempts are bounded by time and not by the number of attempts of a call. */
    RetrySettings forRequiredWork() {
        return new RetrySettings(
                Integer.MAX_VALUE, backoff.atMost(LONGEST_DELAY_OF_REQUIRED_WORK), REQUIRED_WORK_TIMEOUT);
    }

    int maxAttemptsOf(CallOptions options) {
        return options.maxAttempts() == 0 ? maxAttempts : options.maxAttempts();
    }
}
