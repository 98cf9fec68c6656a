package io.idempotency.sample.cluster;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Pauses that somebody makes because he behaves like that: nobody waits in them for anything to happen. They end at once
 * when he is stopped.
 */
final class Pauses {

    private final CountDownLatch stopped = new CountDownLatch(1);

    /** Whether to go on: {@code false} once stopped. */
    boolean take(long milliseconds) throws InterruptedException {
        return !stopped.await(milliseconds, TimeUnit.MILLISECONDS);
    }

    void stop() {
        stopped.countDown();
    }
}
