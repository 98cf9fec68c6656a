package io.idempotency.boot.contract;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Holds the first one that comes until it is opened, and lets all others pass. */
final class Gate {

    private final AtomicBoolean first = new AtomicBoolean(true);

    private final CountDownLatch held = new CountDownLatch(1);

    private final CountDownLatch open = new CountDownLatch(1);

    /** Whether it was the first. */
    boolean holdTheFirst() {
        boolean isFirst = first.compareAndSet(true, false);
        if (isFirst) {
            held.countDown();
            Latches.await(open);
        }
        return isFirst;
    }

    void awaitHeld() {
        Latches.await(held);
    }

    void open() {
        open.countDown();
    }
}
