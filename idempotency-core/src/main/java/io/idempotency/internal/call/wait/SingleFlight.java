package io.idempotency.internal.call.wait;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Lets duplicates in this JVM wait for each other before they take a connection, so that many of them do not exhaust the pool.
 * The database still decides: a call that gets its turn claims the key there.
 */
public final class SingleFlight {

    /** The number of calls of a key that run at the same time after one has succeeded: they only read, on a connection each. */
    private static final int TURNS_AFTER_SUCCESS = 4;

    private final int maxWaiting;

    private final ConcurrentHashMap<Object, Queue> queues = new ConcurrentHashMap<>();

    /**
     * Creates the queues. The limit protects the threads of the server, one of which each waiting call blocks.
     *
     * @param maxWaiting the number of calls that may wait for one key
     */
    public SingleFlight(int maxWaiting) {
        this.maxWaiting = maxWaiting;
    }

    /**
     * Runs the work when it is its turn.
     *
     * @param key equals the one of each duplicate
     * @param onTimeout runs instead of the work if the wait ended, and no other call has ended in the last part of it
     */
    public @Nullable Object call(Object key, WaitBudget budget, Turn work, Turn onTimeout, Turn onTooManyWaiting)
            throws Throwable {
        Queue queue = join(key);
        try {
            return switch (queue.awaitTurn(budget)) {
                case GRANTED -> queue.run(work);
                case OTHERS_ENDED -> work.take();
                case TIMED_OUT -> onTimeout.take();
                case TOO_MANY_WAITING -> onTooManyWaiting.take();
            };
        } finally {
            leave(key);
        }
    }

    private Queue join(Object key) {
        return queues.compute(key, (same, queue) -> {
            Queue joined = queue == null ? new Queue(maxWaiting) : queue;
            joined.callers++;
            return joined;
        });
    }

    private void leave(Object key) {
        queues.computeIfPresent(key, (same, queue) -> --queue.callers == 0 ? null : queue);
    }

    /** The calls of a key in the order of their arrival: one at a time, and several at a time after a success. */
    private static final class Queue {

        private final Semaphore permits = new Semaphore(1, true);

        private final Semaphore waiters;

        private final AtomicBoolean succeeded = new AtomicBoolean();

        /** Changed only while the map holds the key's entry. */
        private int callers;

        private final AtomicInteger ended = new AtomicInteger();

        Queue(int maxWaiting) {
            this.waiters = new Semaphore(maxWaiting);
        }

        /**
         * Waits for the turn. If no other call has ended in the last part of the wait, the database is not asked: this call would
         * only take a connection and wait there.
         */
        Wait awaitTurn(WaitBudget budget) {
            long start = System.nanoTime();
            try {
                // Takes no notice of an interruption, and does not overtake waiting calls.
                if (!permits.hasQueuedThreads() && permits.tryAcquire()) {
                    return Wait.GRANTED;
                }
                if (!waiters.tryAcquire()) {
                    return Wait.TOO_MANY_WAITING;
                }
                try {
                    return budget.beginWaiting() ? awaitPermit(budget) : Wait.TOO_MANY_WAITING;
                } finally {
                    budget.endWaiting();
                    waiters.release();
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return Wait.TIMED_OUT;
            } finally {
                budget.spendSince(start);
            }
        }

        private Wait awaitPermit(WaitBudget budget) throws InterruptedException {
            if (acquire(budget.beforeDatabase())) {
                return Wait.GRANTED;
            }
            int endedBefore = ended.get();
            if (acquire(budget.shortest())) {
                return Wait.GRANTED;
            }
            return ended.get() == endedBefore ? Wait.TIMED_OUT : Wait.OTHERS_ENDED;
        }

        private boolean acquire(Duration wait) throws InterruptedException {
            return permits.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Nullable Object run(Turn work) throws Throwable {
            try {
                Object result = work.take();
                if (succeeded.compareAndSet(false, true)) {
                    permits.release(TURNS_AFTER_SUCCESS - 1);
                }
                return result;
            } finally {
                ended.incrementAndGet();
                permits.release();
            }
        }
    }

    /** Something that a call does when its wait is over. */
    @FunctionalInterface
    public interface Turn {

        /** Returns the result of the call. */
        @Nullable Object take() throws Throwable;
    }

    private enum Wait {
        GRANTED,

        /** The wait ended, but another call has ended in the last part of it, so that the database may have an answer. */
        OTHERS_ENDED,

        /** The wait ended without that, or the thread was interrupted. */
        TIMED_OUT,

        TOO_MANY_WAITING
    }
}
