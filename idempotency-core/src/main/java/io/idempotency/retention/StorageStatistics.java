package io.idempotency.retention;

import java.time.Duration;
import java.util.Map;

/** What can be told of the tables without reading them. */
public interface StorageStatistics {

    /**
     * How many rows there are, as the database estimates it.
     *
     * @return each table once, without its schema
     */
    Map<String, Long> estimateRows();

    /**
     * How long the oldest row that may be deleted has been expired.
     *
     * @return each table whose rows expire; zero if there is no such row
     */
    Map<String, Duration> oldestExpired();

    /**
     * Leases that have expired and were not taken over.
     *
     * @param limit above which no more are counted
     * @return their number
     */
    int countStaleLeases(int limit);
}
