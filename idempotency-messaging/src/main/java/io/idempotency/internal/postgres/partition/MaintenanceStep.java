package io.idempotency.internal.postgres.partition;

/** One independent step of the maintenance of partitions. */
@FunctionalInterface
interface MaintenanceStep {

    /**
     * Does the due work.
     *
     * @return {@code false} if a lock holder prevented it, so that the step must be tried again soon
     */
    boolean run();
}
