package io.idempotency.internal.execution;

import java.time.Duration;

import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

import io.idempotency.internal.operation.CallOptions;

/**
 * How a call is repeated after a serialization failure, a deadlock or a lost connection.
 *
 * @param maxAttempts executions at most, the first one included; at least 1
 * @param delay before the first repeat
 * @param multiplier of the delay from one repeat to the next, at least 1
 * @param maxDelay between two executions
 * @param timeout after which no further execution is started; zero for none
 */
public record RetrySettings(int maxAttempts, Duration delay, double multiplier, Duration maxDelay, Duration timeout) {

    private static final int HALF = 2;

    private static final Duration UNTIL_DONE = Duration.ofSeconds(30);

    private static final Duration LONGEST_DELAY_UNTIL_DONE = Duration.ofSeconds(1);

    /**
     * For what must be written or asked after a method that is not to run again. How often a method may be executed says
     * nothing about that.
     */
    RetrySettings untilDone() {
        Duration longestDelay = maxDelay.compareTo(LONGEST_DELAY_UNTIL_DONE) < 0 ? maxDelay : LONGEST_DELAY_UNTIL_DONE;
        Duration firstDelay = delay.compareTo(longestDelay) < 0 ? delay : longestDelay;
        return new RetrySettings(Integer.MAX_VALUE, firstDelay, multiplier, longestDelay, UNTIL_DONE);
    }

    int maxAttemptsOf(CallOptions options) {
        return options.maxAttempts() == 0 ? maxAttempts : options.maxAttempts();
    }

    /** With jitter, so that callers who failed together do not meet again. */
    BackOff backOff(int attempts) {
        ExponentialBackOff backOff = new ExponentialBackOff(delay.toMillis(), multiplier);
        backOff.setMaxInterval(maxDelay.toMillis());
        backOff.setJitter(delay.toMillis() / HALF);
        backOff.setMaxAttempts(attempts - 1L);
        return backOff;
    }
}
