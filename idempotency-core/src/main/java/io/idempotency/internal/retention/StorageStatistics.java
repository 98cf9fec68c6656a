package io.idempotency.internal.retention;

import java.time.Duration;
import java.util.Map;

/** Statistics of the tables that are found without reading whole tables. */
public interface StorageStatistics {

    /**
     * Takes a sample, in one transaction.
     *
     * @param mostUnfinished the largest number of rows that are read to count the unfinished calls
     */
    Sample sample(int mostUnfinished);

    /**
     * A sample.
     *
     * @param rows an estimate of the number of rows; each table once, without its schema
     * @param oldestExpired the time since the oldest row or response expired, for each table whose rows expire; zero if none has
     * @param staleLeases the number of leases that have expired and were not reclaimed
     * @param halfDone the number of calls that have failed after recorded steps
     */
    record Sample(Map<String, Long> rows, Map<String, Duration> oldestExpired, int staleLeases, int halfDone) {}
}
