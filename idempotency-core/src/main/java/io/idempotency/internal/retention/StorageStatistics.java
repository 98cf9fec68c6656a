package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.idempotency.observation.PartitionSample;

/** Statistics of the tables that can be told without reading them. */
public interface StorageStatistics {

    /**
     * Estimates the numbers of rows.
     *
     * @return each table once, without its schema
     */
    Map<String, Long> estimateRows();

    /**
     * Returns for how long the oldest row could have been deleted, or its response cleared.
     *
     * @return each table whose rows expire; zero if there is no such row
     */
    Map<String, Duration> oldestExpired();

    /**
     * Returns the states of partitioned tables.
     *
     * @return each of them once
     */
    List<PartitionSample> partitions();

    /**
     * Counts leases that have expired and were not reclaimed.
     *
     * @param limit above which no more are counted
     * @return their number
     */
    int countStaleLeases(int limit);
}
