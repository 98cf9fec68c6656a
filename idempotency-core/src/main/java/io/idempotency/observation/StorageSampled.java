package io.idempotency.observation;

import java.util.List;

/**
 * A sample of the library's tables.
 *
 * @param tables samples of the tables
 * @param staleLeases number of leases that have expired and were not reclaimed, counted up to 100,000 with
 *     those that are half done. Requests that were committed in the state PROCESSING without a lease are not counted, because that
 *     needs a scan of the table
 * @param halfDone number of leased calls that have failed after recorded steps, and were not called again since
 */
public record StorageSampled(List<TableSample> tables, int staleLeases, int halfDone) {

    /** Copies the list. */
    public StorageSampled {
        tables = List.copyOf(tables);
    }
}
