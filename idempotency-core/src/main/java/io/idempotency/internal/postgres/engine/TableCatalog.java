package io.idempotency.internal.postgres.engine;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.schema.DistributedTables;
import io.idempotency.internal.postgres.schema.DistributedTables.DistributedTable;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.postgres.schema.StorageTable.Trait;

import static io.idempotency.internal.postgres.engine.EngineVerifier.require;

/** The check of what one claim cannot see, in the catalogs of PostgreSQL and Citus. */
record TableCatalog(Schema schema, List<StorageFeature> features) {

    /**
     * Describes the tables and their partitions. Partial, invalid and deferrable indexes may let a second row pass. Failures are
     * recorded with the name of the primary key. Of a partitioned table, only the partitions have an index.
     */
    private static final String RELATIONS = """
            select c.relname as name, t.columns,
                case when not t.is_view then
                    case c.relkind when 'v' then 'a view' when 'm' then 'a materialized view' when 'f' then 'a foreign table' end
                end as other_kind,
                exists (
                    select 1
                    from pg_catalog.pg_subscription_rel as r
                    join pg_catalog.pg_subscription as s on s.oid = r.srsubid
                    where r.srrelid = c.oid and s.subenabled) as is_subscriber,
                t.columns is null or (t.is_partitioned and c.relkind = 'p') or exists (
                    select 1
                    from pg_catalog.pg_index as i
                    left join pg_catalog.pg_constraint as n on n.conrelid = c.oid and n.conname = 'idempotency_request_pkey'
                    where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indimmediate
                        and i.indpred is null and i.indexprs is null
                        and (t.name <> 'idempotency_request' or n.oid is not null)
                        and (select string_agg(a.attname::text, ', ' order by a.attname)
                             from pg_catalog.pg_attribute as a
                             where a.attrelid = c.oid and a.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
                            in (t.columns, t.or_columns)) as has_key
            from (values %s) as t (name, is_view, is_partitioned, columns, or_columns)
            left join lateral pg_partition_tree(to_regclass('{schema}.' || t.name)) as p on true
            join pg_catalog.pg_class as c on c.oid = coalesce(p.relid, to_regclass('{schema}.' || t.name))
            """;

    private static final String COMMITS_IN_TWO_PHASES = """
            select exists (
                select 1
                from pg_catalog.pg_trigger
                where tgrelid = '{schema}.{table}'::regclass and tgname = 'commit_in_two_phases' and tgenabled <> 'D')""";

    void verify(JdbcClient jdbcClient) {
        jdbcClient.sql(schema.resolve(relations())).query(row -> {
            String name = row.getString("name");
            String kind = row.getString("other_kind");
            String columns = row.getString("columns");
            require(
                    kind == null,
                    in(name) + " is " + kind
                            + " and not a table. It does not make a second claim of a key wait for the first, so"
                            + " that a repeat may take effect again.",
                    "Give " + name
                            + " another name and let the migrations create the table, or set idempotency.schema to"
                            + " another schema.");
            require(
                    row.getBoolean("has_key"),
                    "The table " + in(name) + " has no valid unique index on (" + columns
                            + "). A repeat may be stored beside the first, and take effect again.",
                    "Remove duplicates, if there are any, and run as the owner of the table: alter table "
                            + schema.resolve("{schema}.") + name + " add "
                            + ("request_id".equals(columns)
                                    ? "constraint idempotency_request_pkey primary key"
                                    : "unique")
                            + " (" + columns + ").");
            require(
                    !row.getBoolean("is_subscriber"),
                    "The table " + in(name)
                            + " is the target of a subscription (logical replication): rows claimed elsewhere"
                            + " arrive later. A call here and its repeat there would both take effect.",
                    "Connect the DataSource to the publisher. To replace it by this database, stop all writers there, wait"
                            + " until everything has arrived, and drop the subscription (drop subscription).");
        });
        List<DistributedTable> distributed = new DistributedTables(schema, features).find(jdbcClient);
        distributed.forEach(this::requireSuitableDistribution);
        if (!distributed.isEmpty()) {
            tables().filter(table -> table.is(Trait.COMMITTED_WITH_CALLS))
                    .forEach(table -> requireTwoPhases(jdbcClient, table.name()));
        }
    }

    /** Citus commits on a single worker before it commits on the coordinator, if it knows of nothing written there. */
    private void requireTwoPhases(JdbcClient jdbcClient, String table) {
        require(
                jdbcClient
                        .sql(schema.resolve(COMMITS_IN_TWO_PHASES).replace("{table}", table))
                        .query(Boolean.class)
                        .single(),
                "Citus distributes tables in schema '" + schema.name()
                        + "', but a transaction that also writes the local "
                        + table
                        + " may commit in one phase. After a crash, a key may be stored without its rows there.",
                "Create the trigger commit_in_two_phases on " + table + ", and on each other local table that a call"
                        + " writes, as the page on scaling says in its section on Citus.");
    }

    private String relations() {
        return RELATIONS.formatted(tables().map(table -> "('%s', %s, %s, %s, %s)"
                        .formatted(
                                table.name(),
                                table.is(Trait.VIEW),
                                table.is(Trait.PARTITIONED),
                                literal(table.uniqueKeys(), 0),
                                literal(table.uniqueKeys(), 1)))
                .collect(Collectors.joining(", ")));
    }

    private static String literal(List<String> keys, int number) {
        return number < keys.size() ? "'" + keys.get(number) + "'" : "null::text";
    }

    private Stream<StorageTable> tables() {
        return features.stream().flatMap(feature -> feature.tables().stream());
    }

    private void requireSuitableDistribution(DistributedTable distributed) {
        String table = distributed.table().name();
        String name = schema.name() + "." + table;
        String undistribute = "Run as the owner of the table: select undistribute_table('" + name + "')";
        List<String> columns = distributed.table().distributionColumns();
        require(
                distributed.isHashed() && distributed.column() != null && columns.contains(distributed.column()),
                "The table " + in(table) + " is spread by Citus "
                        + (distributed.isHashed()
                                ? "on its column " + distributed.column()
                                : "as a reference table, or otherwise without the hash of a column")
                        + ". A repeat may reach another node than the first, and take effect again.",
                undistribute
                        + (columns.isEmpty()
                                ? ". It must be local to the coordinator."
                                : ", then distribute it on " + String.join(" or ", columns)
                                        + ": select create_distributed_table('" + name + "', '" + columns.get(0)
                                        + "'). Or leave it local to the coordinator."));
    }

    private String in(String name) {
        return name + " in schema '" + schema.name() + "'";
    }
}
