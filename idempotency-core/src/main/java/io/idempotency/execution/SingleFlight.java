package io.idempotency.execution;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Lets duplicates inside of this JVM wait for each other before they take a connection, so that a storm of them leaves
 * the pool to other keys. The database stays the only arbiter: whoever gets a turn asks it.
 */
final class SingleFlight {

    private final ConcurrentHashMap<UUID, Turn> turns = new ConcurrentHashMap<>();

    /**
     * Runs work when it is its turn.
     *
     * @param work asks the database
     * @param inVain answers in the place of work after a wait in which one and the same call had the turn to the end
     */
    @Nullable Object call(UUID requestId, WaitBudget budget, Invocation work, Invocation inVain) throws Throwable {
        Turn turn = join(requestId);
        try {
            return switch (turn.await(budget)) {
                case OURS -> {
                    try {
                        yield work.proceed();
                    } finally {
                        turn.end();
                    }
                }
                case MISSED -> work.proceed();
                case HELD_BY_ANOTHER -> inVain.proceed();
            };
        } finally {
            leave(requestId);
        }
    }

    private Turn join(UUID requestId) {
        return turns.compute(requestId, (id, turn) -> {
            Turn joined = turn == null ? new Turn() : turn;
            joined.callers++;
            return joined;
        });
    }

    private void leave(UUID requestId) {
        turns.computeIfPresent(requestId, (id, turn) -> --turn.callers == 0 ? null : turn);
    }

    /** One caller of a key after the other, in the order in which they came. */
    private static final class Turn {

        private final Semaphore permit = new Semaphore(1, true);

        /** Changed only while the map holds the key's entry. */
        private int callers;

        private final AtomicInteger ended = new AtomicInteger();

        /**
         * The end of the wait would be the database's, but whom one call keeps waiting here, it would keep waiting there
         * too: then a storm of duplicates whose waits end together must not take the pool after all.
         */
        Wait await(WaitBudget budget) {
            long start = System.nanoTime();
            try {
                // Unlike tryAcquire(), which would overtake those who are waiting.
                if (acquire(Duration.ZERO)) {
                    return Wait.OURS;
                }
                if (acquire(budget.beforeDatabase())) {
                    return Wait.OURS;
                }
                int endedBefore = ended.get();
                if (acquire(budget.shortest())) {
                    return Wait.OURS;
                }
                return ended.get() == endedBefore ? Wait.HELD_BY_ANOTHER : Wait.MISSED;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return Wait.HELD_BY_ANOTHER;
            } finally {
                budget.spendSince(start);
            }
        }

        private boolean acquire(Duration wait) throws InterruptedException {
            return permit.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
        }

        void end() {
            ended.incrementAndGet();
            permit.release();
        }
    }

    private enum Wait {
        OURS,

        /** Others had their turns, so that the database may have an answer. */
        MISSED,

        HELD_BY_ANOTHER
    }
}
