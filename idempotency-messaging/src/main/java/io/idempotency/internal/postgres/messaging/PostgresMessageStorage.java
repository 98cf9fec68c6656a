package io.idempotency.internal.postgres.messaging;

import java.time.Duration;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.outbox.OutboxChannel;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.postgres.inbox.PostgresInboxStore;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.outbox.PostgresOutboxChannel;
import io.idempotency.internal.postgres.outbox.PostgresOutboxStore;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.postgres.partition.PartitionMaintenance;
import io.idempotency.internal.postgres.partition.PartitionPeriod;
import io.idempotency.internal.postgres.schema.MigrationAdvice;
import io.idempotency.internal.postgres.schema.StorageSchemaException;
import io.idempotency.internal.retention.Sampler;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.MessagingListener;

/** The factory of the stores of messages in one PostgreSQL schema. */
public final class PostgresMessageStorage {

    private final Schema schema;

    private final DataSource dataSource;

    private final MessagePartitions partitions;

    /**
     * Creates the factory. Nothing is read or written yet.
     *
     * @param schema the schema's name: at most 63 lower-case letters, digits and underscores
     * @throws IllegalArgumentException if the schema's name is not well-formed
     */
    public PostgresMessageStorage(DataSource dataSource, String schema) {
        this.dataSource = dataSource;
        this.schema = new Schema(schema);
        this.partitions = new MessagePartitions(this.schema);
    }

    /** Returns the store of handled messages. */
    public InboxStore inboxStore() {
        return new PostgresInboxStore(schema);
    }

    /**
     * Returns the store of messages to send.
     *
     * @param application the name of the application: messages of topics that belong to another one are not taken
     */
    public OutboxStore outboxStore(Duration retention, String application) {
        return new PostgresOutboxStore(schema, dataSource, retention, application);
    }

    /** Returns the channel that wakes other instances when there are messages to send. */
    public OutboxChannel outboxChannel() {
        return new PostgresOutboxChannel(schema, dataSource);
    }

    /**
     * Partitions the table of handled messages if it is empty. Otherwise an operator decides when to do so.
     *
     * @return {@code false} if the table is unchanged, because it holds rows, is in use, or would lose objects that others have
     *     created for it; in the last case a warning is logged
     * @throws StorageSchemaException if the role that migrates cannot do so
     */
    public boolean partitionIfEmpty(DataSource owner, PartitionPeriod period) {
        try {
            return partitions.partitionIfEmpty(owner, period);
        } catch (DataAccessException failure) {
            throw new StorageSchemaException(
                    "The table processed_message in schema '" + schema.name() + "' could not be partitioned: "
                            + SqlFailures.reason(failure) + ".",
                    MigrationAdvice.after(failure, "Name the owner of the tables with idempotency.migration.user")
                            + " idempotency.storage.processed-messages = rows.",
                    failure);
        }
    }

    /** Returns whether handled messages are in partitions, independently of the configuration. */
    public boolean isPartitioned() {
        return new BoundedTransaction(dataSource).query(partitions::exist);
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
        return partitions.maintenance(dataSource, period, role, archive);
    }

    /** Returns the queries and changes of operators. */
    public MessagingAdministration administration() {
        return new PostgresMessagingAdministration(schema, dataSource);
    }

    /** Returns what gives samples of the partitions of handled messages to a listener. */
    public Sampler partitionSampler(MessagingListener listener) {
        return new PartitionSampler(schema, dataSource, listener);
    }
}
