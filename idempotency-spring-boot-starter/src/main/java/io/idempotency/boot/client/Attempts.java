package io.idempotency.boot.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/** The attempts at one request: how many, how late, and the pauses between them. */
final class Attempts {

    private static final long FIRST_PAUSE_MILLIS = 200;

    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** Keeps clients that lost their answers together from repeating their requests together. */
    private static final long JITTER_MILLIS = FIRST_PAUSE_MILLIS / 2;

    private static final double MULTIPLIER = 2;

    private final int max;

    private final Duration maxDuration;

    private final Timer timer;

    private final long start;

    private final BackOffExecution pauses;

    private int number = 1;

    /** Begins with the first attempt. */
    Attempts(int max, Duration maxDuration, Timer timer) {
        this.max = max;
        this.maxDuration = maxDuration;
        this.timer = timer;
        this.start = timer.nanoTime();
        ExponentialBackOff backOff = new ExponentialBackOff(FIRST_PAUSE_MILLIS, MULTIPLIER);
        backOff.setMaxInterval(LONGEST_PAUSE_MILLIS);
        backOff.setJitter(JITTER_MILLIS);
        this.pauses = backOff.start();
    }

    /**
     * Pauses until the next attempt may begin.
     *
     * @param retryAfter shortest pause that the server asks for, if it does
     * @return whether there is a next attempt; if not because of an interrupt, the thread is interrupted
     */
    boolean pauseBeforeNext(@Nullable Duration retryAfter) {
        if (number == max) {
            return false;
        }
        Duration pause = Duration.ofMillis(pauses.nextBackOff());
        if (retryAfter != null && retryAfter.compareTo(pause) > 0) {
            pause = retryAfter;
        }
        Duration elapsed = Duration.ofNanos(timer.nanoTime() - start);
        if (elapsed.plus(pause).compareTo(maxDuration) > 0) {
            return false;
        }
        try {
            timer.pause(pause);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            return false;
        }
        number++;
        return true;
    }
}
