package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The exponential delay before the next attempt. A random part of up to a half is added, so that attempts that failed together are
 * not repeated together.
 *
 * @param delay the delay before the second attempt
 * @param multiplier the factor from one delay to the next, at least 1
 * @param maxDelay the longest delay, without the random part
 */
public record Backoff(Duration delay, double multiplier, Duration maxDelay) {

    /** Returns the same with a longest delay of at most the limit. */
    Backoff atMost(Duration limit) {
        return maxDelay.compareTo(limit) <= 0 ? this : new Backoff(delay, multiplier, limit);
    }

    Duration after(int failures) {
        double exponential = (double) delay.toMillis() * Math.pow(multiplier, Math.max(0, failures - 1));
        double bounded = Math.min(exponential, (double) maxDelay.toMillis());
        return Duration.ofMillis(
                (long) (bounded * (1 + ThreadLocalRandom.current().nextDouble() / 2)));
    }
}
