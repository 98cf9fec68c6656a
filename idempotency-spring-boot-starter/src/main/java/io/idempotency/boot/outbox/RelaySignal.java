package io.idempotency.boot.outbox;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes the relay of this instance. However often it is woken, it looks once. */
final class RelaySignal {

    private final Semaphore wakes = new Semaphore(0);

    /** Costs the thread of a commit nothing. */
    void wake() {
        if (wakes.availablePermits() == 0) {
            wakes.release();
        }
    }

    /** Until somebody wakes the relay, at most so long. */
    void await(Duration time) throws InterruptedException {
        if (wakes.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS)) {
            wakes.drainPermits();
        }
    }
}
