package io.idempotency.internal.postgres;

import java.time.Duration;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.lock.LockStore;
import io.idempotency.internal.outbox.OutboxChannel;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.postgres.administration.PostgresAdministration;
import io.idempotency.internal.postgres.inbox.PostgresInboxStore;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.lock.PostgresLockStore;
import io.idempotency.internal.postgres.maintenance.PostgresPurgeStore;
import io.idempotency.internal.postgres.maintenance.PostgresStorageStatistics;
import io.idempotency.internal.postgres.outbox.PostgresOutboxChannel;
import io.idempotency.internal.postgres.outbox.PostgresOutboxStore;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.postgres.request.PostgresClaimStore;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.internal.retention.PartitionMaintenance;
import io.idempotency.internal.retention.PartitionPeriod;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.retention.StorageStatistics;

/** The factory of all that reads and writes the library's tables in one PostgreSQL schema. */
public final class PostgresStorage {

    /** The location of the migrations on the class path. They take the schema's name as the placeholder {@code schema}. */
    public static final String MIGRATIONS = StorageSchema.MIGRATIONS;

    /** The location of the SQL functions on the class path. They take the same placeholder. */
    public static final String SQL_FUNCTIONS = StorageSchema.SQL_FUNCTIONS;

    private final Schema schema;

    private final DataSource dataSource;

    /**
     * Describes the storage. Nothing is read or written yet.
     *
     * @param dataSource of the database that holds the schema
     * @param schema the schema's name: at most 63 lower-case letters, digits and underscores
     * @throws IllegalArgumentException if the schema's name is not well-formed
     */
    public PostgresStorage(DataSource dataSource, String schema) {
        this.dataSource = dataSource;
        this.schema = new Schema(schema);
    }

    /**
     * Returns the store of claims.
     *
     * @param claimedBy tells this process from others in the rows that it writes
     * @return a store that is safe for use by many threads
     */
    public ClaimStore claimStore(String claimedBy) {
        return new PostgresClaimStore(schema, claimedBy);
    }

    /**
     * Returns the store of handled messages.
     *
     * @return a store that is safe for use by many threads
     */
    public InboxStore inboxStore() {
        return new PostgresInboxStore(schema);
    }

    /**
     * Returns the store of messages to send.
     *
     * @param retention how long a message is kept after it was sent
     * @return a store that is safe for use by many threads
     */
    public OutboxStore outboxStore(Duration retention) {
        return new PostgresOutboxStore(schema, dataSource, retention);
    }

    /**
     * Returns the channel that wakes other instances when there are messages to send.
     *
     * @return safe for use by many threads
     */
    public OutboxChannel outboxChannel() {
        return new PostgresOutboxChannel(schema, dataSource);
    }

    /**
     * Returns the store of the application's locks.
     *
     * @return a store that is safe for use by many threads
     */
    public LockStore lockStore() {
        return new PostgresLockStore();
    }

    /**
     * Returns the view of operators and the changes that they may make.
     *
     * @return safe for use by many threads
     */
    public IdempotencyAdministration administration() {
        return new PostgresAdministration(schema, dataSource);
    }

    /**
     * Returns the store of the purge, which lets one run of all instances purge at a time.
     *
     * @param heldBy tells this process from others while it purges
     * @param archive whether rows are moved to the archive instead of being deleted; expired responses are cleared all the same
     * @return a store that is safe for use by many threads
     */
    public PurgeStore purgeStore(String heldBy, boolean archive) {
        return new PostgresPurgeStore(schema, dataSource, heldBy, archive);
    }

    /**
     * Returns the maintenance of the partitions of handled messages, which does nothing if there are none. Without maintenance
     * the open partition stays open.
     *
     * @param period how much time a new partition is for
     * @param role the owner of the tables, of which the role of the DataSource must be a member; {@code null} for that role itself
     * @param archive whether partitions are kept as tables of their own instead of being dropped
     * @return safe for use by many threads
     */
    public PartitionMaintenance partitionMaintenance(PartitionPeriod period, @Nullable String role, boolean archive) {
        return new MessagePartitions(schema).maintenance(dataSource, period, role, archive);
    }

    /**
     * Returns statistics of the tables that can be told without reading them.
     *
     * @return safe for use by many threads
     */
    public StorageStatistics statistics() {
        return new PostgresStorageStatistics(schema, dataSource);
    }

    /**
     * Returns the schema as an object of the database.
     *
     * @return its creation and validation
     */
    public StorageSchema schema() {
        return new StorageSchema(schema, dataSource);
    }
}
