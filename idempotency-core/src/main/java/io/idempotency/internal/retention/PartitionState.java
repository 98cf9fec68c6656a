package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.List;

/**
 * The state of a partitioned table.
 *
 * @param table the table, without its schema
 * @param partitions how many it has
 * @param ahead how many of them are for times to come
 * @param overdue how long ago the next partition should have been opened; zero if that is in time
 * @param detachPending whether the detachment of a partition was interrupted
 * @param problems the problems and what to do about them, a sentence each
 */
public record PartitionState(
        String table, int partitions, int ahead, Duration overdue, boolean detachPending, List<String> problems) {

    /** Keeps its own copy of the list. */
    public PartitionState {
        problems = List.copyOf(problems);
    }
}
