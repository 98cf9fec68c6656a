package io.idempotency.postgres;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.StorageStatistics;

/** What the catalog and the ends of indexes tell of the tables. */
final class TableStatistics implements StorageStatistics {

    /** This one always has a row, and tells nothing. */
    private static final String TURNS = "purge_turn";

    /** As the planner does it: rows to the page as of the last VACUUM or ANALYZE, times the pages of now. */
    private static final String ESTIMATE_ROWS = """
            select c.relname,
                   case
                       when c.reltuples >= 0 and c.relpages > 0
                       then (c.reltuples * (pg_relation_size(c.oid) / current_setting('block_size')::bigint)
                           / c.relpages)::bigint
                       else coalesce(pg_stat_get_live_tuples(c.oid), 0)
                   end
            from pg_catalog.pg_class as c
            where c.oid = any (array[%s])""".formatted(StorageSchema.tables().stream()
            .filter(table -> !table.equals(TURNS))
            .map("'{schema}.%s'::regclass"::formatted)
            .collect(Collectors.joining(", ")));

    private static final String OLDEST_EXPIRED = """
            select coalesce((extract(epoch from statement_timestamp() - (
                select expires_at
                from {schema}.{table}
                where expires_at < statement_timestamp() and {condition}
                order by expires_at
                limit 1)) * 1000)::bigint, 0)""";

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
                table, schema.resolve(OLDEST_EXPIRED).replace("{table}", table).replace("{condition}", condition)));
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
        return transaction.ask(jdbcClient -> oldestExpired.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, table -> age(jdbcClient, table.getValue()))));
    }

    private static Duration age(JdbcClient jdbcClient, String sql) {
        return Duration.ofMillis(jdbcClient.sql(sql).query(Long.class).single());
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
