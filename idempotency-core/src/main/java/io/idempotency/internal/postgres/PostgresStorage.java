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
import io.idempotency.internal.postgres.engine.EngineVerifier;
import io.idempotency.internal.postgres.inbox.PostgresInboxStore;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.lock.PostgresLockStore;
import io.idempotency.internal.postgres.maintenance.PostgresPurgeStore;
import io.idempotency.internal.postgres.maintenance.PostgresStorageStatistics;
import io.idempotency.internal.postgres.outbox.PostgresOutboxChannel;
import io.idempotency.internal.postgres.outbox.PostgresOutboxStore;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.postgres.request.PostgresClaimStore;
import io.idempotency.internal.postgres.request.ResumptionScheduler;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.internal.retention.PartitionMaintenance;
import io.idempotency.internal.retention.PartitionPeriod;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.retention.StorageStatistics;

/** The factory of the stores of the library's tables in one PostgreSQL schema. */
public final class PostgresStorage {

    /** The location of the migrations on the class path. They take the schema's name as the placeholder {@code schema}. */
    public static final String MIGRATIONS = StorageSchema.MIGRATIONS;

    /** The location of the SQL functions on the class path. They take the same placeholder. */
    public static final String SQL_FUNCTIONS = StorageSchema.SQL_FUNCTIONS;

    private final Schema schema;

    private final DataSource dataSource;

    /**
     * Creates the factory. Nothing is read or written yet.
     *
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
     * @param scheduler lets calls be resumed; {@code null} if none may be
     */
    public ClaimStore claimStore(String claimedBy, @Nullable ResumptionScheduler scheduler) {
        return new PostgresClaimStore(schema, claimedBy, scheduler);
    }

    /** Returns the store of handled messages. */
    public InboxStore inboxStore() {
        return new PostgresInboxStore(schema);
    }

    /** Returns the store of messages to send. */
    public OutboxStore outboxStore(Duration retention) {
        return new PostgresOutboxStore(schema, dataSource, retention);
    }

    /** Returns the channel that wakes other instances when there are messages to send. */
    public OutboxChannel outboxChannel() {
        return new PostgresOutboxChannel(schema, dataSource);
    }

    /** Returns the store of the application's locks. */
    public LockStore lockStore() {
        return new PostgresLockStore();
    }

    /**
     * Returns the queries and changes of operators.
     *
     * @param scheduler lets calls be resumed; {@code null} if none may be
     */
    public IdempotencyAdministration administration(@Nullable ResumptionScheduler scheduler) {
        return new PostgresAdministration(schema, dataSource, scheduler);
    }

    /**
     * Returns the store of the purge. Only one run of all instances purges at a time.
     *
     * @param archive whether rows are moved to the archive instead of being deleted; expired responses are cleared in both
     *     cases
     */
    public PurgeStore purgeStore(String heldBy, boolean archive) {
        return new PostgresPurgeStore(schema, dataSource, heldBy, archive);
    }

    /**
     * Returns the maintenance of the partitions of handled messages. If there are none, it does nothing. Without maintenance
     * the open partition stays open.
     *
     * @param role the owner of the tables, of which the role of the DataSource must be a member; {@code null} if that role is
     *     the owner
     * @param archive whether partitions are kept as tables of their own instead of being dropped
     */
    public PartitionMaintenance partitionMaintenance(PartitionPeriod period, @Nullable String role, boolean archive) {
        return new MessagePartitions(schema).maintenance(dataSource, period, role, archive);
    }

    /** Returns statistics of the tables that are known without reading the tables. */
    public StorageStatistics statistics() {
        return new PostgresStorageStatistics(schema, dataSource);
    }

    /** Returns the creation and validation of the schema. */
    public StorageSchema schema() {
        return new StorageSchema(schema, dataSource);
    }

    /** Returns the check at start-up that the guarantee holds on the database. */
    public EngineVerifier engineVerifier() {
        return new EngineVerifier(schema, dataSource);
    }
}
