package io.idempotency.internal.postgres;

import java.time.Duration;
import java.util.stream.Stream;
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
import io.idempotency.internal.postgres.outbox.PostgresOutboxChannel;
import io.idempotency.internal.postgres.outbox.PostgresOutboxStore;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.postgres.request.PostgresClaimStore;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.retention.PartitionMaintenance;
import io.idempotency.internal.retention.PartitionPeriod;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.retention.StorageStatistics;

/** The library's tables in one PostgreSQL schema: what the rest of the library sees of them. */
public final class PostgresStorage {

    /** The location of the migrations on the class path. They take the schema's name as the placeholder {@code schema}. */
    public static final String MIGRATIONS = StorageSchema.MIGRATIONS;

    /** The location of the SQL functions on the class path. They take the same placeholder. */
    public static final String SQL_FUNCTIONS = StorageSchema.SQL_FUNCTIONS;

    private final Schema schema;

    private final DataSource dataSource;

    /**
     * Describes the storage; nothing is read or written yet.
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
     * The store of claims.
     *
     * @param claimedBy tells this process from others in the rows that it writes
     * @return a store that is safe for use by many threads
     */
    public ClaimStore claimStore(String claimedBy) {
        return new PostgresClaimStore(schema, claimedBy);
    }

    /**
     * The store of handled messages.
     *
     * @return a store that is safe for use by many threads
     */
    public InboxStore inboxStore() {
        return new PostgresInboxStore(schema);
    }

    /**
     * The store of messages to send.
     *
     * @param retention how long a message is kept after it was sent
     * @return a store that is safe for use by many threads
     */
    public OutboxStore outboxStore(Duration retention) {
        return new PostgresOutboxStore(schema, dataSource, retention);
    }

    /**
     * What wakes other instances when there are messages to send.
     *
     * @return safe for use by many threads
     */
    public OutboxChannel outboxChannel() {
        return new PostgresOutboxChannel(schema, dataSource);
    }

    /**
     * The locks of the application.
     *
     * @return a store that is safe for use by many threads
     */
    public LockStore lockStore() {
        return new PostgresLockStore();
    }

    /**
     * What operators can see and do.
     *
     * @return safe for use by many threads
     */
    public IdempotencyAdministration administration() {
        return new PostgresAdministration(schema, dataSource);
    }

    /**
     * What the purge deletes, and how its runs take turns.
     *
     * @param heldBy tells this process from others while it purges
     * @param archive whether rows are moved to the archive instead of being deleted; responses that go before their keys are
     *     cleared all the same
     * @return a store that is safe for use by many threads
     */
    public PurgeStore purgeStore(String heldBy, boolean archive) {
        Stream<Expiry> tables = StorageTable.expiring().map(table -> new TableExpiry(schema, table, archive));
        return new PurgeTurns(
                schema,
                dataSource,
                heldBy,
                Stream.concat(tables, Stream.of(new ResponseExpiry(schema))).toList());
    }

    /**
     * The maintenance of the partitions of handled messages, which does nothing if those are in none. One partition is open; if
     * nobody looks after them, it stays open.
     *
     * @param period how much time a new partition is for
     * @param role whom the tables belong to, if that is not the role of the DataSource, which has to be a member of it
     * @param archive whether partitions are kept as tables of their own instead of being dropped
     * @return safe for use by many threads
     */
    public PartitionMaintenance partitionMaintenance(PartitionPeriod period, @Nullable String role, boolean archive) {
        return new MessagePartitions(schema).maintenance(dataSource, period, role, archive);
    }

    /**
     * What can be told of the tables without reading them.
     *
     * @return safe for use by many threads
     */
    public StorageStatistics statistics() {
        return new TableStatistics(schema, dataSource);
    }

    /**
     * The schema as an object of the database.
     *
     * @return its creation and validation
     */
    public StorageSchema schema() {
        return new StorageSchema(schema, dataSource);
    }
}
