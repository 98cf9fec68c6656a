package io.idempotency.internal.postgres;

import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.postgres.request.RequestSql;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.retention.PartitionState;
import io.idempotency.internal.retention.StorageStatistics;

/** What the catalog and the ends of indexes tell of the tables. */
final class TableStatistics implements StorageStatistics {

    /** As the planner does it: rows to the page as of the last VACUUM or ANALYZE, times the pages of now. */
    private static final String ESTIMATE_ROWS = """
            select root.relname as table_name,
                   sum(case
                       when c.reltuples >= 0::float8 and c.relpages > 0
                       then (c.reltuples::float8 * (pg_relation_size(c.oid::regclass) / current_setting('block_size')::bigint)::float8
                           / c.relpages::float8)::bigint
                       else coalesce(pg_stat_get_live_tuples(c.oid), 0)
                   end)::bigint as estimated_rows
            from pg_catalog.pg_class as root
            left join lateral pg_partition_tree(root.oid::regclass) as part on part.isleaf
            join pg_catalog.pg_class as c on c.oid = coalesce(part.relid::oid, root.oid)
            where root.oid = any (array[%s])
            group by root.relname""".formatted(StorageTable.writable()
            .filter(table -> table != StorageTable.PURGE_TURN)
            .map(table -> "'{schema}.%s'::regclass::oid".formatted(table.tableName()))
            .collect(Collectors.joining(", ")));

    private static final String OLDEST_EXPIRED = """
            select coalesce((extract(epoch from statement_timestamp() - least(
                (select expires_at
                from {schema}.{table}
                where expires_at < statement_timestamp() and {condition}
                order by expires_at
                limit 1),
                ({other}))) * 1000.0)::bigint, 0)""";

    private static final String NO_OTHER = "null::timestamptz";

    private final String estimateRows;

    private final Map<StorageTable, String> oldestExpired;

    private final MessagePartitions partitions;

    private final String countStaleLeases;

    private final BoundedTransaction transaction;

    TableStatistics(Schema schema, DataSource dataSource) {
        this.estimateRows = schema.resolve(ESTIMATE_ROWS);
        this.oldestExpired = new EnumMap<>(StorageTable.class);
        StorageTable.expiring()
                .forEach(table -> oldestExpired.put(
                        table,
                        schema.resolve(OLDEST_EXPIRED
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
            boolean inPartitions = partitions.exist(jdbcClient);
            Map<String, Duration> ages = new LinkedHashMap<>();
            oldestExpired.forEach((table, rows) -> ages.put(
                    table.tableName(),
                    inPartitions && table == StorageTable.PROCESSED_MESSAGE
                            ? partitions.findOldestExpired(jdbcClient)
                            : Duration.ofMillis(
                                    jdbcClient.sql(rows).query(Long.class).single())));
            return ages;
        });
    }

    @Override
    public List<PartitionState> partitions() {
        return transaction.query(partitions::findState);
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
