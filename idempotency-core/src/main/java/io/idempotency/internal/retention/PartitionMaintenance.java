package io.idempotency.internal.retention;

import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Makes partitions before they are needed and drops them when all of their rows have expired. Many instances may do so at
 * once. Safe for use by many threads.
 */
public final class PartitionMaintenance {

    private final BooleanSupplier isPartitioned;

    private final List<MaintenanceStep> steps;

    private final Lock running = new ReentrantLock();

    /**
     * Creates the maintenance.
     *
     * @param isPartitioned asks the database whether there are partitions, whatever was configured
     * @param steps what has to be done then, in this order: each may be repeated at any time, by many instances at once
     */
    public PartitionMaintenance(BooleanSupplier isPartitioned, List<? extends MaintenanceStep> steps) {
        this.isPartitioned = isPartitioned;
        this.steps = List.copyOf(steps);
    }

    /**
     * Does whatever is to be done now. A step that fails does not keep the others from being tried.
     *
     * @return {@code false} if somebody was in the way, so that it has to be tried again soon
     * @throws InterruptedException if the thread is interrupted between two steps; what was done stays done
     * @throws RuntimeException the first failure of a step, when the others were tried; those that followed are suppressed
     *     in it
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
