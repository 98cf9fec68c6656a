package io.idempotency.retention;

import java.util.List;

/** A table that may be in partitions, and what has to be done for it from time to time. */
public interface PartitionedTable {

    /**
     * The table's name, without its schema.
     *
     * @return as it is logged
     */
    String name();

    /**
     * Asks the database, whatever was configured.
     *
     * @return whether the table is in partitions
     */
    boolean isPartitioned();

    /**
     * What has to be done, in this order. A step that fails does not keep the others from being tried.
     *
     * @return steps, each of which may be repeated at any time, by many instances at once
     */
    List<MaintenanceStep> steps();
}
