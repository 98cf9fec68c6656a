package io.idempotency.observation;

import java.util.List;

/**
 * A sample of the library's tables.
 *
 * @param tables samples of the tables that are not partitioned
 * @param staleLeases number of leases that have expired and were not reclaimed, counted up to 100,000. Requests that
 *     were committed in the state PROCESSING without a lease are not counted, because that needs a scan of the table
 * @param partitions samples of the partitioned tables
 */
public record StorageSampled(List<TableSample> tables, int staleLeases, List<PartitionSample> partitions) {

    /** Copies the lists. */
    public StorageSampled {
        tables = List.copyOf(tables);
        partitions = List.copyOf(partitions);
    }

    /**
     * Creates a sample without partitioned tables.
     *
     * @param tables samples of the tables that are not partitioned
     * @param staleLeases number of leases that have expired and were not reclaimed
     */
    public StorageSampled(List<TableSample> tables, int staleLeases) {
        this(tables, staleLeases, List.of());
    }
}
