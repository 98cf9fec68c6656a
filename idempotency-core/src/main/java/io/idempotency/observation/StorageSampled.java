package io.idempotency.observation;

import java.util.List;

/**
 * A look at the library's tables.
 *
 * @param tables each table once
 * @param staleLeases leases that have expired and were not taken over; of more than 100,000 no more are counted. Requests
 *     that were committed as being processed without a lease are not among them: to find those takes a look at every row
 */
public record StorageSampled(List<TableSample> tables, int staleLeases) {

    /**
     * Keeps what it was given as it is.
     */
    public StorageSampled {
        tables = List.copyOf(tables);
    }
}
