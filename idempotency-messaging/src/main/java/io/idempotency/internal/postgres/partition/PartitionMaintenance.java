package io.idempotency.internal.postgres.partition;

import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Creates partitions before they are needed and drops them when all of their rows have expired. Many instances may run it at the
 * same time. Safe for use by many threads.
 */
public final class PartitionMaintenance {

    private final BooleanSupplier isPartitioned;

    private final List<MaintenanceStep> steps;

    private final Lock running = new ReentrantLock();

    /**
     * Creates the maintenance.
     *
     * @param isPartitioned reads from the database whether there are partitions
     * @param steps the steps, in their order; each may be repeated at any time, by many instances at the same time
     */
    PartitionMaintenance(BooleanSupplier isPartitioned, List<? extends MaintenanceStep> steps) {
        this.isPartitioned = isPartitioned;
        this.steps = List.copyOf(steps);
    }

    /**
     * Runs the steps. If a step fails, the others are run all the same. Does nothing if another thread runs them.
     *
     * @return {@code false} if a lock holder prevented a step, so that the maintenance must be tried again soon
     * @throws InterruptedException if the thread is interrupted between two steps; finished steps are kept
     * @throws RuntimeException the first failure of a step, after all steps; later failures are suppressed in it
     */
    public boolean run() throws InterruptedException {
        if (!running.tryLock()) {
            return true;
        }
        try {
            return new Run().proceed();
        } finally {
            running.unlock();
        }
    }

    private final class Run {

        private boolean done = true;

        private @Nullable RuntimeException failure;

        boolean proceed() throws InterruptedException {
            if (attempt(isPartitioned::getAsBoolean)) {
                for (MaintenanceStep step : steps) {
                    done &= attempt(step);
                }
            }
            if (failure != null) {
                throw failure;
            }
            return done;
        }

        private boolean attempt(MaintenanceStep step) throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try {
                return step.run();
            } catch (RuntimeException failed) {
                if (failure == null) {
                    failure = failed;
                } else {
                    failure.addSuppressed(failed);
                }
                return false;
            }
        }
    }
}
