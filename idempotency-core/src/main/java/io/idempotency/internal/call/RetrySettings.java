package io.idempotency.internal.call;

import java.time.Duration;

import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

import io.idempotency.internal.operation.CallOptions;

/**
 * The settings of retries after a serialization failure, a deadlock or a lost connection.
 *
 * @param maxAttempts the largest number of attempts, the first one included; at least 1
 * @param delay the pause before the first retry
 * @param multiplier the factor from one pause to the next, at least 1
 * @param maxDelay the longest pause
 * @param timeout the time after which no further attempt is started; zero for none
 */
public record RetrySettings(int maxAttempts, Duration delay, double multiplier, Duration maxDelay, Duration timeout) {

    private static final int HALF = 2;

    private static final Duration REQUIRED_WORK_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration LONGEST_DELAY_OF_REQUIRED_WORK = Duration.ofSeconds(1);

    /** Returns the settings for required work, whose attempts are bounded by time and not by the number of attempts of a call. */
    RetrySettings forRequiredWork() {
        Duration longestDelay =
                maxDelay.compareTo(LONGEST_DELAY_OF_REQUIRED_WORK) < 0 ? maxDelay : LONGEST_DELAY_OF_REQUIRED_WORK;
        Duration firstDelay = delay.compareTo(longestDelay) < 0 ? delay : longestDelay;
        return new RetrySettings(Integer.MAX_VALUE, firstDelay, multiplier, longestDelay, REQUIRED_WORK_TIMEOUT);
    }

    int maxAttemptsOf(CallOptions options) {
        return options.maxAttempts() == 0 ? maxAttempts : options.maxAttempts();
    }

    /** Returns pauses with jitter, so that calls that collided do not collide again. */
    BackOff backOff(int attempts) {
        ExponentialBackOff backOff = new ExponentialBackOff(delay.toMillis(), multiplier);
        backOff.setMaxInterval(maxDelay.toMillis());
        backOff.setJitter(delay.toMillis() / HALF);
        backOff.setMaxAttempts(attempts - 1L);
        return backOff;
    }
}
