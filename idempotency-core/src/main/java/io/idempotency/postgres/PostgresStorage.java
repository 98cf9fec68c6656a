package io.idempotency.postgres;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.claim.ClaimStore;
import io.idempotency.inbox.InboxStore;
import io.idempotency.outbox.OutboxChannel;
import io.idempotency.outbox.OutboxStore;
import io.idempotency.retention.PurgeStore;
import io.idempotency.retention.StorageStatistics;

/** The library's tables in one PostgreSQL schema: what the rest of the library sees of them. */
public final class PostgresStorage {

    /** Where the migrations are on the class path; they take the schema's name as the placeholder {@code schema}. */
    public static final String MIGRATIONS = "io/idempotency/postgres/migration";

    /** The effect of a request that is being processed may or may not have happened, so it is never forgotten. */
    private static final String NOT_PROCESSING = "status <> 'processing'";

    /** In the order of the purge, with what else must hold for rows that may go. */
    static final Map<String, String> EXPIRING_TABLES = expiringTables();

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
        return new IdempotencyRequestTable(schema, claimedBy);
    }

    /**
     * The store of handled messages.
     *
     * @return a store that is safe for use by many threads
     */
    public InboxStore inboxStore() {
        return new ProcessedMessageTable(schema);
    }

    /**
     * The store of messages to send.
     *
     * @param retention how long a message is kept after it was sent
     * @return a store that is safe for use by many threads
     */
    public OutboxStore outboxStore(Duration retention) {
        return new OutboxEventTable(schema, dataSource, retention);
    }

    /**
     * What wakes other instances when there are messages to send.
     *
     * @return safe for use by many threads
     */
    public OutboxChannel outboxChannel() {
        return new OutboxNotifications(schema, dataSource);
    }

    /**
     * What operators can see and do.
     *
     * @return safe for use by many threads
     */
    public IdempotencyAdministration administration() {
        return new IdempotencyRequestAdministration(schema, dataSource);
    }

    /**
     * What the purge deletes, and how its runs take turns.
     *
     * @param heldBy tells this process from others while it purges
     * @param archive whether rows are moved to the archive instead of being deleted
     * @return a store that is safe for use by many threads
     */
    public PurgeStore purgeStore(String heldBy, boolean archive) {
        List<TableExpiry> tables = EXPIRING_TABLES.entrySet().stream()
                .map(table -> new TableExpiry(schema, table.getKey(), table.getValue(), archive))
                .toList();
        return new PurgeTurns(schema, dataSource, heldBy, tables);
    }

    /**
     * What can be told of the tables without reading them.
     *
     * @return safe for use by many threads
     */
    public StorageStatistics statistics() {
        return new TableStatistics(schema, dataSource, EXPIRING_TABLES);
    }

    /**
     * The schema as an object of the database.
     *
     * @return its creation and validation
     */
    public StorageSchema schema() {
        return new StorageSchema(schema, dataSource);
    }

    private static Map<String, String> expiringTables() {
        Map<String, String> tables = new LinkedHashMap<>();
        tables.put("idempotency_request", NOT_PROCESSING);
        tables.put("processed_message", "true");
        tables.put("message_failure", "true");
        tables.put("outbox_event", "true");
        return tables;
    }
}
