package io.idempotency.internal.execution;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Lets duplicates inside of this JVM wait for each other before they take a connection, so that a storm of them leaves
 * the pool to other keys. The database stays the only arbiter: whoever gets a turn asks it.
 */
final class SingleFlight {

    /** Few of a pool's connections: once a call has succeeded, the others have but to read. */
    private static final int TURNS_AFTER_SUCCESS = 4;

    private final int maxWaiting;

    private final ConcurrentHashMap<LocalKey, Queue> queues = new ConcurrentHashMap<>();

    /** Each call that waits keeps a thread, of which a server has so many for all keys together. */
    SingleFlight(int maxWaiting) {
        this.maxWaiting = maxWaiting;
    }

    /**
     * Runs work when it is its turn.
     *
     * @param work asks the database
     * @param refusal answers in the place of work if no more calls may wait
     * @param inVain answers in the place of work after a wait in which one and the same call had the turn to the end
     */
    @Nullable Object call(LocalKey key, WaitBudget budget, Invocation work, Invocation inVain, Invocation refusal)
            throws Throwable {
        Queue queue = join(key);
        try {
            return switch (queue.awaitTurn(budget)) {
                case OURS -> queue.take(work);
                case MISSED -> work.proceed();
                case HELD_BY_ANOTHER -> inVain.proceed();
                case TOO_MANY_WAIT -> refusal.proceed();
            };
        } finally {
            leave(key);
        }
    }

    private Queue join(LocalKey key) {
        return queues.compute(key, (same, queue) -> {
            Queue joined = queue == null ? new Queue(maxWaiting) : queue;
            joined.callers++;
            return joined;
        });
    }

    private void leave(LocalKey key) {
        queues.computeIfPresent(key, (same, queue) -> --queue.callers == 0 ? null : queue);
    }

    /** Callers of a key in the order in which they came: one after the other, and several at a time after a success. */
    private static final class Queue {

        private final Semaphore permits = new Semaphore(1, true);

        private final Semaphore waitingRoom;

        private final AtomicBoolean succeeded = new AtomicBoolean();

        /** Changed only while the map holds the key's entry. */
        private int callers;

        private final AtomicInteger ended = new AtomicInteger();

        Queue(int maxWaiting) {
            this.waitingRoom = new Semaphore(maxWaiting);
        }

        /**
         * The end of the wait would be the database's, but whom one call keeps waiting here, it would keep waiting there
         * too: then a storm of duplicates whose waits end together must not take the pool after all.
         */
        Wait awaitTurn(WaitBudget budget) {
            long start = System.nanoTime();
            try {
                // Unlike tryAcquire(), which would overtake those who are waiting.
                if (acquire(Duration.ZERO)) {
                    return Wait.OURS;
                }
                if (!waitingRoom.tryAcquire()) {
                    return Wait.TOO_MANY_WAIT;
                }
                try {
                    return awaitTurnInRoom(budget);
                } finally {
                    waitingRoom.release();
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return Wait.HELD_BY_ANOTHER;
            } finally {
                budget.spendSince(start);
            }
        }

        private Wait awaitTurnInRoom(WaitBudget budget) throws InterruptedException {
            if (acquire(budget.beforeDatabase())) {
                return Wait.OURS;
            }
            int endedBefore = ended.get();
            if (acquire(budget.shortest())) {
                return Wait.OURS;
            }
            return ended.get() == endedBefore ? Wait.HELD_BY_ANOTHER : Wait.MISSED;
        }

        private boolean acquire(Duration wait) throws InterruptedException {
            return permits.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Nullable Object take(Invocation work) throws Throwable {
            try {
                Object result = work.proceed();
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

    private enum Wait {
        OURS,

        /** Others had their turns, so that the database may have an answer. */
        MISSED,

        HELD_BY_ANOTHER,

        TOO_MANY_WAIT
    }
}
