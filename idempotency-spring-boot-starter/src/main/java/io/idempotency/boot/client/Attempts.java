package io.idempotency.boot.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.util.backoff.BackOffExecution;

import io.idempotency.internal.backoff.Backoff;

/** The attempts at one request: how many, how late, and the pauses between them. */
final class Attempts {

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(200), 2, Duration.ofSeconds(5));

    private final int max;

    private final Duration maxDuration;

    private final Timer timer;

    private final long start;

    private final BackOffExecution pauses = BACKOFF.start();

    private int number = 1;

    /** Begins with the first attempt. */
    Attempts(int max, Duration maxDuration, Timer timer) {
        this.max = max;
        this.maxDuration = maxDuration;
        this.timer = timer;
        this.start = timer.nanoTime();
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
