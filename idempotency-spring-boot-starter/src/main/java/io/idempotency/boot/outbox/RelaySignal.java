package io.idempotency.boot.outbox;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes a thread of this instance, such as its relay. However often it is woken, it looks once. */
final class RelaySignal {

    private final Semaphore wakes = new Semaphore(0);

    /** Costs the thread of a commit nothing. */
    void wake() {
        if (wakes.availablePermits() == 0) {
            wakes.release();
        }
    }

    /** Until somebody wakes it, at most so long. Whether somebody did. */
    boolean await(Duration time) throws InterruptedException {
        boolean woken = wakes.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS);
        if (woken) {
            // Not otherwise: somebody may have come in between.
            wakes.drainPermits();
        }
        return woken;
    }
}
