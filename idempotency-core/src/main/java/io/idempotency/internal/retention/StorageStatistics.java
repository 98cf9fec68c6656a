package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.idempotency.observation.PartitionSample;

/** What can be told of the tables without reading them. */
public interface StorageStatistics {

    /**
     * How many rows there are, as the database estimates it.
     *
     * @return each table once, without its schema
     */
    Map<String, Long> estimateRows();

    /**
     * How long the oldest row has been expired that may be deleted, or whose response may be cleared.
     *
     * @return each table whose rows expire; zero if there is no such row
     */
    Map<String, Duration> oldestExpired();

    /**
     * The tables that are in partitions.
     *
     * @return each of them once; none where there are none
     */
    List<PartitionSample> partitions();

    /**
     * Leases that have expired and were not taken over.
     *
     * @param limit above which no more are counted
     * @return their number
     */
    int countStaleLeases(int limit);
}
