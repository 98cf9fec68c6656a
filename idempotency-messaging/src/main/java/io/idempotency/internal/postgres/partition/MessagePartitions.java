package io.idempotency.internal.postgres.partition;

import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.schema.TablePartitions;
import io.idempotency.messaging.PartitionSample;

/**
 * The partitions of handled messages. The database determines whether they exist, and not the configuration, because another
 * instance or an operator may have created them.
 */
public final class MessagePartitions implements TablePartitions {

    /** The partitioned table. */
    static final String TABLE = "processed_message";

    private final Schema schema;

    private final String exist;

    private final String findOldestExpired;

    private final PartitionStatistics statistics;

    /** Prepares the statements. */
    public MessagePartitions(Schema schema) {
        this.schema = schema;
        this.exist = PartitionSql.EXIST.replace("{name}", schema.name());
        this.findOldestExpired = schema.resolve(PartitionSql.FIND_OLDEST_EXPIRED);
        this.statistics = new PartitionStatistics(schema);
    }

    @Override
    public String table() {
        return TABLE;
    }

    @Override
    public boolean exist(JdbcClient jdbcClient) {
        return jdbcClient.sql(exist).query(Boolean.class).single();
    }

    /** Reads the state of the partitions. */
    public List<PartitionSample> findState(JdbcClient jdbcClient) {
        return statistics.find(jdbcClient);
    }

    @Override
    public Duration findOldestExpired(JdbcClient jdbcClient) {
        return Duration.ofMillis(
                jdbcClient.sql(findOldestExpired).query(Long.class).single());
    }

    /** Partitions the table of handled messages if it is empty. */
    public boolean partitionIfEmpty(DataSource owner, PartitionPeriod period) {
        return new EmptyTablePartitioning(schema, owner).partition(period);
    }

    /**
     * Returns the maintenance of the partitions.
     *
     * @param role the owner of the tables; {@code null} if it is the role of the DataSource
     * @param archive whether partitions are kept as tables of their own instead of being dropped
     */
    public PartitionMaintenance maintenance(
            DataSource dataSource, PartitionPeriod period, @Nullable String role, boolean archive) {
        MaintenanceConnection connection = new MaintenanceConnection(schema, dataSource, role);
        return new PartitionMaintenance(
                () -> connection.query(this::exist),
                List.of(
                        new PartitionAddition(schema, connection, period),
                        new PartitionClosing(schema, connection),
                        new PartitionExpiry(schema, connection),
                        new PartitionRemoval(schema, connection, archive)));
    }
}
