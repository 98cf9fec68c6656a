package io.idempotency.messaging;

import java.time.Duration;
import java.util.List;

/**
 * A sample of the partitions of a table of messages.
 *
 * @param table name of the table, without its schema
 * @param partitions number of partitions
 * @param ahead number of partitions for future times
 * @param overdue delay of the next partition, which should have been added; zero if it is in time
 * @param detachPending whether the detaching of a partition was interrupted
 * @param problems problems for an operator and what to do, a sentence each; empty if there are none
 */
public record PartitionSample(
        String table, int partitions, int ahead, Duration overdue, boolean detachPending, List<String> problems) {

    /** Copies the list. */
    public PartitionSample {
        problems = List.copyOf(problems);
    }
}
