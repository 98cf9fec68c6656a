package io.idempotency.internal.postgres.maintenance;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.TransactionLimits;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.DistributedTables;
import io.idempotency.internal.postgres.schema.DistributedTables.DistributedTable;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.postgres.schema.TablePartitions;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.PurgeLease;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.transaction.RequiresNewTransaction;

import static java.util.stream.Collectors.toSet;

/**
 * The store of the purge. Only one run of all instances purges at a time. The lock of a batch ends with its transaction. No
 * connection is held during the pauses, so a row of the table {@code purge_lease} keeps the purge lease. Rows in partitions are
 * deleted with their partitions.
 */
public final class PostgresPurgeStore implements PurgeStore {

    private static final Logger logger = LoggerFactory.getLogger(PostgresPurgeStore.class);

    private static final int MOST_NAMED = 20;

    private final String heldBy;

    private final Schema schema;

    private final boolean archive;

    private final String tryLock;

    private final String stillFree;

    private final String keep;

    private final String release;

    private final List<StorageTable> expiring;

    private final List<TablePartitions> partitions;

    private final DistributedTables distributedTables;

    private final RequiresNewTransaction transaction;

    /**
     * Prepares the statements.
     *
     * @param archive whether rows are moved to the archive instead of being deleted; expired responses are cleared in both
     *     cases
     */
    public PostgresPurgeStore(
            Schema schema, DataSource dataSource, List<StorageFeature> features, String heldBy, boolean archive) {
        this.heldBy = heldBy;
        this.schema = schema;
        this.archive = archive;
        this.tryLock = schema.resolve(MaintenanceSql.TRY_LOCK);
        this.stillFree = schema.resolve(MaintenanceSql.STILL_FREE);
        this.keep = schema.resolve(MaintenanceSql.KEEP_LEASE);
        this.release = schema.resolve(MaintenanceSql.RELEASE_LEASE);
        this.expiring = features.stream()
                .flatMap(feature -> feature.tables().stream())
                .filter(StorageTable::expires)
                .toList();
        this.partitions = StorageFeature.partitions(features, schema);
        this.distributedTables = new DistributedTables(schema, features);
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    @Override
    public PurgeLease begin(Duration hold) {
        return new Lease(hold, transaction.call(Clients.withClient(this::tablesWithRows)));
    }

    private List<Expiry> tablesWithRows(JdbcClient jdbcClient) {
        Set<String> partitioned = partitions.stream()
                .filter(table -> table.exist(jdbcClient))
                .map(TablePartitions::table)
                .collect(toSet());
        Set<StorageTable> distributed = distributedTables.find(jdbcClient).stream()
                .map(DistributedTable::table)
                .collect(toSet());
        return Stream.concat(
                        expiring.stream()
                                .filter(table -> !partitioned.contains(table.name()))
                                .map(table -> new TableExpiry(schema, table, archive, distributed.contains(table))),
                        Stream.of(new ResponseExpiry(schema, distributed.contains(CoreFeatures.IDEMPOTENCY_REQUEST))))
                .toList();
    }

    final class Lease implements PurgeLease {

        private final UUID run = UUID.randomUUID();

        private final Duration hold;

        private final List<ExpiringTable> expiringTables;

        Lease(Duration hold, List<? extends Expiry> rows) {
            this.hold = hold;
            this.expiringTables = rows.stream()
                    .<ExpiringTable>map(table -> new TableOfRun(this, table))
                    .toList();
        }

        @Override
        public List<ExpiringTable> tables() {
            return expiringTables;
        }

        @Override
        public void release() {
            transaction.call(Clients.withClient(
                    jdbcClient -> jdbcClient.sql(release).param(run).update()));
        }

        boolean take(JdbcClient jdbcClient) {
            return isTrue(jdbcClient, tryLock) && isTrue(jdbcClient, stillFree);
        }

        private boolean isTrue(JdbcClient jdbcClient, String condition) {
            return jdbcClient.sql(condition).param(run).query(Boolean.class).single();
        }

        /** Extends the lease from the end of the batch. */
        void keep(JdbcClient jdbcClient) {
            jdbcClient.sql(keep).params(run, heldBy, hold.toMillis()).update();
        }
    }

    /** A table of one run. Each batch begins where the last one ended, because the index still contains the deleted rows. */
    final class TableOfRun implements ExpiringTable {

        private final Lease lease;

        private final Expiry table;

        private OffsetDateTime reached = OffsetDateTime.MIN;

        TableOfRun(Lease lease, Expiry table) {
            this.lease = lease;
            this.table = table;
        }

        @Override
        public String name() {
            return table.name();
        }

        @Override
        public OptionalInt deleteExpired(int limit) {
            Optional<ExpiredBatch> deleted = transaction.call(connection -> {
                JdbcClient jdbcClient = TransactionLimits.begin(connection, MaintenanceSql.SETTINGS);
                if (!lease.take(jdbcClient)) {
                    return Optional.empty();
                }
                ExpiredBatch batch = table.deleteExpired(jdbcClient, reached, limit);
                lease.keep(jdbcClient);
                return Optional.of(batch);
            });
            if (deleted.isEmpty()) {
                return OptionalInt.empty();
            }
            ExpiredBatch batch = deleted.get();
            if (batch.last() != null) {
                reached = batch.last();
            }
            warnOf(batch.halfDone());
            return OptionalInt.of(batch.rows());
        }

        private void warnOf(List<String> halfDone) {
            if (!halfDone.isEmpty()) {
                logger.warn(
                        "The purge has deleted {} half-done calls, which had recorded steps and were neither finished nor decided"
                                + " about within their retention. What their steps did outside of PostgreSQL remains."
                                + " Scopes and request ids: {}{}. {}",
                        halfDone.size(),
                        String.join(", ", halfDone.subList(0, Math.min(halfDone.size(), MOST_NAMED))),
                        halfDone.size() > MOST_NAMED ? ", ..." : "",
                        archive
                                ? "Their rows are in idempotency_request_archive"
                                : "Their rows are gone; idempotency.purge.archive=true would keep them");
            }
        }
    }
}
