package io.idempotency.boot.client;

import java.time.Duration;

/** The time that attempts take, and the pauses between them. */
interface Timer {

    Timer SYSTEM = new Timer() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void pause(Duration pause) throws InterruptedException {
            Thread.sleep(pause.toMillis());
        }
    };

    /** Returns nanoseconds from an arbitrary origin. */
    long nanoTime();

    /**
     * Blocks this thread.
     *
     * @throws InterruptedException if the thread is or was interrupted, even if the pause is zero
     */
    void pause(Duration pause) throws InterruptedException;
}
