package io.idempotency.internal.postgres.maintenance;

import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.postgres.request.RequestSql;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.retention.StorageStatistics;

/** Statistics of the tables, from the catalog and from the ends of indexes. */
public final class PostgresStorageStatistics implements StorageStatistics {

    private static final String NO_OTHER = "null::timestamptz";

    private final String estimateRows;

    private final Map<StorageTable, String> oldestExpired;

    private final MessagePartitions partitions;

    private final String countStaleLeases;

    private final BoundedTransaction transaction;

    /** Prepares the statements. */
    public PostgresStorageStatistics(Schema schema, DataSource dataSource) {
        this.estimateRows = schema.resolve(MaintenanceSql.ESTIMATE_ROWS);
        this.oldestExpired = new EnumMap<>(StorageTable.class);
        StorageTable.expiring()
                .forEach(table -> oldestExpired.put(
                        table,
                        schema.resolve(MaintenanceSql.FIND_OLDEST_EXPIRED
                                .replace("{table}", table.tableName())
                                .replace("{condition}", table.expiryCondition())
                                .replace(
                                        "{other}",
                                        table == StorageTable.IDEMPOTENCY_REQUEST
                                                ? RequestSql.FIND_OLDEST_EXPIRED_RESPONSE
                                                : NO_OTHER))));
        this.partitions = new MessagePartitions(schema);
        this.countStaleLeases = schema.resolve(RequestSql.COUNT_STALE_LEASES);
        this.transaction = new BoundedTransaction(dataSource);
    }

    @Override
    public Map<String, Long> estimateRows() {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(estimateRows)
                .query((row, number) -> Map.entry(row.getString("table_name"), row.getLong("estimated_rows")))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    @Override
    public Map<String, Duration> oldestExpired() {
        return transaction.query(jdbcClient -> {
            boolean isPartitioned = partitions.exist(jdbcClient);
            Map<String, Duration> ages = new LinkedHashMap<>();
            oldestExpired.forEach((table, rows) -> ages.put(
                    table.tableName(),
                    isPartitioned && table == StorageTable.PROCESSED_MESSAGE
                            ? partitions.findOldestExpired(jdbcClient)
                            : Duration.ofMillis(
                                    jdbcClient.sql(rows).query(Long.class).single())));
            return ages;
        });
    }

    @Override
    public int countStaleLeases(int limit) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(countStaleLeases)
                .param(limit)
                .query(Integer.class)
                .single());
    }
}
