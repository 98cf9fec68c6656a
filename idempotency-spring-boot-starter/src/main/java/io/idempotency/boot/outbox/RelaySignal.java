package io.idempotency.boot.outbox;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A signal that wakes a thread of this instance, such as its relay. Several wakes before an await count as one. */
final class RelaySignal {

    private final Semaphore wakes = new Semaphore(0);

    /** Returns at once, because the thread of a commit calls it. */
    void wake() {
        if (wakes.availablePermits() == 0) {
            wakes.release();
        }
    }

    /** Waits until it is woken, at most for that time, and returns whether it was. */
    boolean await(Duration time) throws InterruptedException {
        boolean woken = wakes.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS);
        if (woken) {
            // Not after a timeout: a wake since then would be lost.
            wakes.drainPermits();
        }
        return woken;
    }
}
