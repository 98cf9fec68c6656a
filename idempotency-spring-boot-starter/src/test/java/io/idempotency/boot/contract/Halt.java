package io.idempotency.boot.contract;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;

/** Stops the first method that comes by until the test lets it go on. */
final class Halt implements Runnable {

    private static final long TIMEOUT_SECONDS = 30;

    private final CountDownLatch reached = new CountDownLatch(1);

    private final CountDownLatch released = new CountDownLatch(1);

    private final AtomicBoolean used = new AtomicBoolean();

    @Override
    public void run() {
        if (used.compareAndSet(false, true)) {
            reached.countDown();
            await(released, "the test lets the method go on");
        }
    }

    /** Returns when a method has stopped here. */
    void awaitReached() {
        await(reached, "a method comes by");
    }

    void release() {
        released.countDown();
    }

    private static void await(CountDownLatch latch, String what) {
        try {
            assertThat(latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as(what).isTrue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
