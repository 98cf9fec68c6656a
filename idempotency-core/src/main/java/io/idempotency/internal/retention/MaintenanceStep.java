package io.idempotency.internal.retention;

/** One independent step of the maintenance of partitions. */
@FunctionalInterface
public interface MaintenanceStep {

    /**
     * Does the work that is due, if any.
     *
     * @return {@code false} if a lock holder was in the way, so that the step has to be tried again soon
     */
    boolean run();
}
