package io.idempotency.postgres;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.PartitionState;
import io.idempotency.retention.StorageStatistics;

/** What the catalog and the ends of indexes tell of the tables. */
final class TableStatistics implements StorageStatistics {

    /** The one always has a row, the other one has those of keys of messages; neither tells anything. */
    private static final Set<String> UNTOLD = Set.of("purge_turn", "outbox_deduplication");

    /** As the planner does it: rows to the page as of the last VACUUM or ANALYZE, times the pages of now. */
    private static final String ESTIMATE_ROWS = """
            select root.relname,
                   sum(case
                       when c.reltuples >= 0::float8 and c.relpages > 0
                       then (c.reltuples::float8 * (pg_relation_size(c.oid::regclass) / current_setting('block_size')::bigint)::float8
                           / c.relpages::float8)::bigint
                       else coalesce(pg_stat_get_live_tuples(c.oid), 0)
                   end)::bigint
            from pg_catalog.pg_class as root
            left join lateral pg_partition_tree(root.oid::regclass) as leaf on leaf.isleaf
            join pg_catalog.pg_class as c on c.oid = coalesce(leaf.relid::oid, root.oid)
            where root.oid = any (array[%s])
            group by root.relname""".formatted(StorageSchema.tables().stream()
            .filter(table -> !UNTOLD.contains(table))
            .map("'{schema}.%s'::regclass::oid"::formatted)
            .collect(Collectors.joining(", ")));

    private static final String OLDEST_EXPIRED = """
            select coalesce((extract(epoch from statement_timestamp() - least(
                (select expires_at
                from {schema}.{table}
                where expires_at < statement_timestamp() and {condition}
                order by expires_at
                limit 1),
                ({other}))) * 1000.0)::bigint, 0)""";

    private static final String REQUESTS = "idempotency_request";

    private static final String NO_OTHER = "null::timestamptz";

    /**
     * Of whole partitions: which of their rows have expired before is known to nobody. They may be those of a partition of
     * the table, which has its name and more.
     */
    private static final String OLDEST_EXPIRED_PARTITION = """
            select coalesce((extract(epoch from statement_timestamp() - min(greatest(expires_at, sealed_at))) * 1000.0)::bigint, 0)
            from {schema}.storage_partition
            where starts_with(parent, cast(? as text)) and expires_at < statement_timestamp()""";

    /** By the index of leases. */
    private static final String COUNT_STALE_LEASES = """
            select count(*)
            from (
                select 1
                from {schema}.idempotency_request
                where locked_until <= statement_timestamp()
                limit ?) as stale""";

    private final String estimateRows;

    private final Map<String, String> oldestExpired;

    private final String oldestExpiredPartition;

    private final PartitionStatistics partitions;

    private final TableLayouts layouts;

    private final String countStaleLeases;

    private final OperatorTransaction transaction;

    /**
     * Prepares the statements.
     *
     * @param expiringTables the tables whose rows expire, with what else must hold for rows that may go
     */
    TableStatistics(Schema schema, DataSource dataSource, Map<String, String> expiringTables) {
        this.estimateRows = schema.resolve(ESTIMATE_ROWS);
        this.oldestExpired = new LinkedHashMap<>();
        expiringTables.forEach((table, condition) -> oldestExpired.put(
                table,
                schema.resolve(OLDEST_EXPIRED
                        .replace("{table}", table)
                        .replace("{condition}", condition)
                        .replace("{other}", table.equals(REQUESTS) ? ResponseExpiry.OLDEST : NO_OTHER))));
        this.oldestExpiredPartition = schema.resolve(OLDEST_EXPIRED_PARTITION);
        this.partitions = new PartitionStatistics(schema);
        this.layouts = new TableLayouts(schema);
        this.countStaleLeases = schema.resolve(COUNT_STALE_LEASES);
        this.transaction = new OperatorTransaction(dataSource);
    }

    @Override
    public Map<String, Long> estimateRows() {
        return transaction.ask(jdbcClient ->
                jdbcClient
                        .sql(estimateRows)
                        .query((row, number) -> Map.entry(row.getString(1), row.getLong(2)))
                        .stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    @Override
    public Map<String, Duration> oldestExpired() {
        return transaction.ask(jdbcClient -> {
            Set<String> partitioned = layouts.findPartitioned(jdbcClient);
            Map<String, Duration> ages = new LinkedHashMap<>();
            oldestExpired.forEach((table, rows) -> ages.put(
                    table,
                    age(
                            partitioned.contains(table)
                                    ? jdbcClient.sql(oldestExpiredPartition).param(table)
                                    : jdbcClient.sql(rows))));
            return ages;
        });
    }

    private static Duration age(JdbcClient.StatementSpec statement) {
        return Duration.ofMillis(statement.query(Long.class).single());
    }

    @Override
    public List<PartitionState> partitions() {
        return transaction.ask(partitions::find);
    }

    @Override
    public int countStaleLeases(int limit) {
        return transaction.ask(jdbcClient -> jdbcClient
                .sql(countStaleLeases)
                .param(limit)
                .query(Integer.class)
                .single());
    }
}
