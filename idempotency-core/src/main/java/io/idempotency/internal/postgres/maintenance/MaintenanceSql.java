package io.idempotency.internal.postgres.maintenance;

import java.util.List;
import java.util.stream.Collectors;

import io.idempotency.internal.postgres.jdbc.TransactionLimits;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageTable.Access;
import io.idempotency.internal.postgres.schema.StorageTable.Trait;

/** The statements that purge any table, exclude other runs of the purge, and estimate the tables. */
final class MaintenanceSql {

    /**
     * A batch may have to read over many deleted rows, and a lock holder whose host has failed must not exclude the others for
     * hours. Without statistics PostgreSQL would build a bitmap of all expired rows for each batch.
     */
    static final String SETTINGS = TransactionLimits.select("'5min'", "'30s'") + ";\nset local enable_bitmapscan = off";

    /** A lease is never longer than a day. A later end is the error of a clock. */
    private static final String HELD_BY_ANOTHER = """
            exists (
                select 1
                from {schema}.purge_lease
                where run_id <> ?
                    and held_until > clock_timestamp()
                    and held_until < clock_timestamp() + interval '1 day')""";

    /** Queries before it locks: an instance without the lease must not be in the way of the run that has it. */
    static final String TRY_LOCK = "select case when " + HELD_BY_ANOTHER + """
             then false
            else pg_try_advisory_xact_lock('{schema}.idempotency_request'::regclass::oid::integer, 0) end""";

    /** A new statement, because the statement that took the lock may have begun before another run took the lease. */
    static final String STILL_FREE = "select not " + MaintenanceSql.HELD_BY_ANOTHER;

    static final String KEEP_LEASE = """
            insert into {schema}.purge_lease as lease (run_id, held_by, started_at, held_until)
            select ?, ?, t.now, t.now + cast(? as float8) * interval '1 millisecond'
            from (select clock_timestamp() as now) t
            on conflict (one_row) do update
            set run_id = excluded.run_id, held_by = excluded.held_by, held_until = excluded.held_until,
                started_at = case when lease.run_id = excluded.run_id then lease.started_at else excluded.started_at end""";

    static final String RELEASE_LEASE = "update {schema}.purge_lease set held_until = '-infinity' where run_id = ?";

    /** Deletes by ctid, because a join by key reads the primary key once more for each row. */
    static final String BY_CTID = "ctid = any (array({expired} for update skip locked))";

    /** Citus does not lock rows of several shards for a query, and a ctid is unique within one shard only. */
    static final String BY_KEY = "({key}) in ({expired})";

    /**
     * A table that is put in partitions during a run has many rows of one ctid, so the condition is checked once more.
     */
    private static final String DELETE = """
            delete from {schema}.{table}
            where {rows}
                and expires_at < statement_timestamp() and {condition}
            returning\s""";

    /** The rows of a batch, for the placeholder {@code {expired}}. */
    static final String EXPIRED = """
            select {key}
            from {schema}.{table}
            where expires_at >= ? and expires_at < statement_timestamp() and {condition}
            order by expires_at
            limit ?""";

    private static final String COUNT =
            "select count(*) as batch_rows, max(expires_at) as last_expired, {half_done} as half_done from expired";

    static final String DELETE_EXPIRED = "with expired as (" + DELETE + "{needed})\n" + MaintenanceSql.COUNT;

    /** One statement, so that no row is ever in both tables or in neither. */
    static final String ARCHIVE_EXPIRED = "with expired as (" + DELETE + """
            {columns}),
            archived as (
                insert into {schema}.{table}_archive ({columns}, archived_at)
                select {columns}, clock_timestamp()
                from expired)
            """ + MaintenanceSql.COUNT;

    /** Estimates as the planner does: rows to the page as of the last VACUUM or ANALYZE, times the present number of pages. */
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
            group by root.relname""";

    static final String FIND_OLDEST_EXPIRED = """
            select coalesce((extract(epoch from statement_timestamp() - least(
                (select greatest(expires_at, timestamptz 'epoch')
                from {schema}.{table}
                where expires_at < statement_timestamp() and {condition}
                order by expires_at
                limit 1),
                ({other}))) * 1000.0)::bigint, 0)""";

    private MaintenanceSql() {}

    static String estimateRows(List<StorageFeature> features) {
        return ESTIMATE_ROWS.formatted(features.stream()
                .flatMap(feature -> feature.tables().stream())
                .filter(table -> table.access() == Access.WRITE && !table.is(Trait.BOOKKEEPING))
                .map(table -> "'{schema}.%s'::regclass::oid".formatted(table.name()))
                .collect(Collectors.joining(", ")));
    }
}
