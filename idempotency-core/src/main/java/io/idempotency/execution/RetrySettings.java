package io.idempotency.execution;

import java.time.Duration;

import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

import io.idempotency.operation.CallTerms;

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

    int maxAttemptsOf(CallTerms terms) {
        return terms.maxAttempts() == 0 ? maxAttempts : terms.maxAttempts();
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
