package io.idempotency.observation;

import java.util.List;

/**
 * A look at the library's tables.
 *
 * @param tables each table once
 * @param staleLeases leases that have expired and were not taken over; of more than 100,000 no more are counted. Requests
 *     that were committed as being processed without a lease are not among them: to find those takes a look at every row
 * @param partitions the tables that are in partitions
 */
public record StorageSampled(List<TableSample> tables, int staleLeases, List<PartitionSample> partitions) {

    /**
     * Keeps what it was given as it is.
     */
    public StorageSampled {
        tables = List.copyOf(tables);
        partitions = List.copyOf(partitions);
    }

    /**
     * A look at tables that are not in partitions.
     *
     * @param tables each table once
     * @param staleLeases leases that have expired and were not taken over
     */
    public StorageSampled(List<TableSample> tables, int staleLeases) {
        this(tables, staleLeases, List.of());
    }
}
