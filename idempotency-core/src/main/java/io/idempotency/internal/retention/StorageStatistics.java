package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.Map;

/** Statistics of the tables that are found without reading whole tables. */
public interface StorageStatistics {

    /**
     * Estimates the numbers of rows.
     *
     * @return each table once, without its schema
     */
    Map<String, Long> estimateRows();

    /**
     * Returns for how long the oldest expired row or response of each table has been expired.
     *
     * @return the time for each table whose rows expire; zero if no row has expired
     */
    Map<String, Duration> oldestExpired();

    /** Counts leases that have expired and were not reclaimed. */
    int countStaleLeases(int limit);
}
