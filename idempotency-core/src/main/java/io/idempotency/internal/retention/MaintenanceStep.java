package io.idempotency.internal.retention;

/** A part of the maintenance of partitions that stands for itself. */
@FunctionalInterface
public interface MaintenanceStep {

    /**
     * Does what is to be done now, if anything.
     *
     * @return {@code false} if somebody was in the way, so that it has to be tried again soon
     */
    boolean run();
}
