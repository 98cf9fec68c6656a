package io.idempotency.internal.postgres.messaging;

import javax.sql.DataSource;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.retention.Sampler;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.MessagingListener;

/** The factory of the stores of messages in one PostgreSQL schema. */
public final class PostgresMessageStorage {

    private final Schema schema;

    private final DataSource dataSource;

    /**
     * Creates the factory. Nothing is read or written yet.
     *
     * @param schema the schema's name: at most 63 lower-case letters, digits and underscores
     * @throws IllegalArgumentException if the schema's name is not well-formed
     */
    public PostgresMessageStorage(DataSource dataSource, String schema) {
        this.dataSource = dataSource;
        this.schema = new Schema(schema);
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
