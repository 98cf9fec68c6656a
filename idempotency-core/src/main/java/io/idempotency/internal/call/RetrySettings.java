package io.idempotency.internal.call;

import java.time.Duration;

import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * The settings of retries after a serialization failure, a deadlock or a lost connection.
 *
 * @param delay the pause before the first retry
 * @param multiplier the factor from one pause to the next, at least 1
 * @param maxDelay the longest pause
 * @param timeout the time after which no further attempt is started; zero for none
 */
public record RetrySettings(Duration delay, double multiplier, Duration maxDelay, Duration timeout) {

    private static final int HALF = 2;

    private static final Duration REQUIRED_WORK_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration LONGEST_DELAY_OF_REQUIRED_WORK = Duration.ofSeconds(1);

    /** Returns the settings for required work, whose attempts are bounded by time alone. */
    RetrySettings forRequiredWork() {
        Duration longestDelay =
                maxDelay.compareTo(LONGEST_DELAY_OF_REQUIRED_WORK) < 0 ? maxDelay : LONGEST_DELAY_OF_REQUIRED_WORK;
        Duration firstDelay = delay.compareTo(longestDelay) < 0 ? delay : longestDelay;
        return new RetrySettings(firstDelay, multiplier, longestDelay, REQUIRED_WORK_TIMEOUT);
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
