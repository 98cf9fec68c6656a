package io.idempotency.boot.background;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A signal that wakes the thread of a background loop. Several wakes before an await count as one. */
public final class WakeSignal {

    private final Semaphore wakes = new Semaphore(0);

    /** Returns immediately, because the thread of a commit calls it. */
    public void wake() {
        if (wakes.availablePermits() == 0) {
            wakes.release();
        }
    }

    /**
     * Waits until it is woken.
     *
     * @param time the longest wait
     * @return whether it was woken
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean await(Duration time) throws InterruptedException {
        boolean woken = wakes.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS);
        if (woken) {
            // Not after a timeout: a wake since then would be lost.
            wakes.drainPermits();
        }
        return woken;
    }
}
