package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.List;

/**
 * How a table is that is in partitions.
 *
 * @param table the table, without its schema
 * @param partitions how many it has
 * @param ahead how many of them are for times to come
 * @param overdue how long ago the next partition should have been opened; zero if that is in time
 * @param detachPending whether a partition is not quite detached, because that was cut short
 * @param problems what somebody has to look at and what to do, a sentence each; none if all is well
 */
public record PartitionState(
        String table, int partitions, int ahead, Duration overdue, boolean detachPending, List<String> problems) {

    /** Keeps its own copy of the list. */
    public PartitionState {
        problems = List.copyOf(problems);
    }
}
