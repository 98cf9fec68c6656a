package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next attempt: exponentially longer, and at random longer by up to a half, so that what failed
 * together does not come back together.
 *
 * @param delay before the second attempt
 * @param multiplier from one attempt to the next, at least 1
 * @param maxDelay the longest, before what is added at random
 */
public record Backoff(Duration delay, double multiplier, Duration maxDelay) {

    /** The same, but with no longer delay than that. */
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
