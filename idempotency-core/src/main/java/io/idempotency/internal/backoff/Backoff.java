package io.idempotency.internal.backoff;

import java.time.Duration;

import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Pauses between attempts that grow exponentially, by Spring's formula. It never ends: the number of attempts is limited elsewhere.
 *
 * @param delay the pause after the first failure, without its random part
 * @param multiplier the factor from one pause to the next, at least 1
 * @param maxDelay the longest pause, its random part included
 * @param random whether up to a half is added at random, and to or from later pauses, so that attempts that failed together are not
 *     repeated together
 */
public record Backoff(Duration delay, double multiplier, Duration maxDelay, boolean random) implements BackOff {

    private static final int HALF = 2;

    /**
     * Creates a backoff with a random part.
     *
     * @param delay the pause after the first failure, without its random part
     * @param multiplier the factor from one pause to the next, at least 1
     */
    public Backoff(Duration delay, double multiplier, Duration maxDelay) {
        this(delay, multiplier, maxDelay, true);
    }

    /** Returns the same with a longest pause of at most the limit. */
    public Backoff atMost(Duration limit) {
        return maxDelay.compareTo(limit) <= 0 ? this : new Backoff(delay, multiplier, limit, random);
    }

    /**
     * Returns the pause after a number of failures.
     *
     * @param failures the number of failures in a row, at least 1
     */
    public Duration after(int failures) {
        BackOffExecution pauses = start();
        for (int earlier = 1; earlier < failures; earlier++) {
            pauses.nextBackOff();
        }
        return Duration.ofMillis(pauses.nextBackOff());
    }

    @Override
    public BackOffExecution start() {
        ExponentialBackOff backOff = new ExponentialBackOff(delay.toMillis(), multiplier);
        backOff.setMaxInterval(maxDelay.toMillis());
        backOff.setJitter(random ? delay.toMillis() / HALF : 0);
        return backOff.start();
    }
}
