package io.idempotency.internal.postgres.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.schema.DistributedTables;
import io.idempotency.internal.postgres.schema.DistributedTables.DistributedTable;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.postgres.schema.StorageTable.Trait;

/**
 * The check of what one claim cannot see, in the catalogs of PostgreSQL and Citus: whatever may be changed about a table so that no
 * statement fails, and a repeat takes effect again or a message is lost. All that is found is reported at once.
 */
final class TableCatalog {

    /**
     * Describes the tables and their partitions. Partial, invalid and deferrable indexes may let a second row pass. Failures are
     * recorded with the name of the primary key. Of a partitioned table, only the partitions have an index. A claim tries the
     * triggers of idempotency_request. All comparisons are of exactly the types of {@code pg_catalog}.
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
                            in (t.columns, t.or_columns)) as has_key,
                not t.is_view and (c.relpersistence <> 'p' or exists (
                    select 1
                    from pg_catalog.pg_depend as d
                    join pg_catalog.pg_class as s on s.oid = d.objid and s.relkind = 'S'
                    where d.refobjid = c.oid and d.classid = 'pg_catalog.pg_class'::regclass::oid
                        and s.relpersistence <> 'p')) as forgets,
                exists (
                    select 1
                    from pg_catalog.pg_depend as d
                    join pg_catalog.pg_sequence as s on s.seqrelid = d.objid
                    where d.refobjid = c.oid and d.classid = 'pg_catalog.pg_class'::regclass::oid
                        and (s.seqcache <> 1 or s.seqincrement < 1 or s.seqcycle)) as loses_order,
                not t.is_view and row_security_active(c.oid) as hides_rows,
                c.relkind = 'r' and exists (
                    select 1 from pg_catalog.pg_inherits as child where child.inhparent = c.oid) as has_children,
                not t.is_view and exists (
                    select 1
                    from pg_catalog.pg_rewrite as w
                    where w.ev_class = c.oid and w.ev_enabled <> 'D') as has_rules,
                t.name <> 'idempotency_request' and exists (
                    select 1
                    from pg_catalog.pg_trigger as g
                    join pg_catalog.pg_proc as f on f.oid = g.tgfoid
                    where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D' and g.tgtype::integer & 3 = 3
                        and f.proname not in ('processed_message_skip_duplicate', 'processed_message_refuse')) as skips_rows,
                p.level > 0 and c.relkind = 'r' and not exists (
                    select 1
                    from pg_catalog.pg_trigger as g
                    join pg_catalog.pg_proc as f on f.oid = g.tgfoid and f.proname = 'processed_message_skip_duplicate'
                    where g.tgrelid = c.oid and g.tgenabled in ('O', 'A')) and t.is_partitioned as misses_repeats,
                t.columns is not null and exists (
                    select 1
                    from pg_catalog.pg_index as i
                    where i.indrelid = c.oid and i.indisunique and (
                        exists (
                            select 1
                            from pg_catalog.pg_opclass as o
                            where o.oid = any (i.indclass::oid[]) and (
                                o.opcintype = 'pg_catalog.bpchar'::regtype::oid
                                or o.opcnamespace <> 'pg_catalog'::regnamespace::oid))
                        or exists (
                            select 1
                            from pg_catalog.pg_collation as l
                            where l.oid = any (i.indcollation::oid[]) and not l.collisdeterministic)
                        or pg_catalog.to_jsonb(i) operator(pg_catalog.->>) 'indnullsnotdistinct' = 'true'
                        or t.is_partitioned and (
                            select count(*)
                            from pg_catalog.pg_attribute as a
                            where a.attrelid = c.oid and a.attname::text in ('consumer', 'message_id')
                                and a.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1])) < 2)) as joins_keys
            from (values %s) as t (name, is_view, is_partitioned, columns, or_columns)
            left join lateral pg_partition_tree(to_regclass('{schema}.' || t.name)) as p on true
            join pg_catalog.pg_class as c on c.oid = coalesce(p.relid, to_regclass('{schema}.' || t.name))::oid
            order by 1""";

    /** Each is a column of the query that must be false. */
    private static final List<Defect> DEFECTS = List.of(
            new Defect(
                    "forgets",
                    "may forget committed rows, because it or its sequence is UNLOGGED: after a crash or a failover PostgreSQL"
                            + " empties it, repeats take effect again, and messages are lost",
                    "alter table %1$s set logged",
                    "If that leaves its sequence as it is: alter sequence ... set logged."),
            new Defect(
                    "hides_rows",
                    "has row level security for the role of the DataSource. What renews leases, sends messages and finds out"
                            + " whether a call was committed belongs to no caller, and would miss rows without a word",
                    "alter table %1$s disable row level security",
                    "Or let the application use a role that has BYPASSRLS or owns the table."),
            new Defect(
                    "has_children",
                    "has tables that inherit from it. Their rows are found, but no unique index holds for both: a key in a child"
                            + " could be claimed again",
                    "alter table <child> no inherit %1$s",
                    "Keep old rows in the archive instead (idempotency.purge.archive)."),
            new Defect(
                    "has_rules",
                    "has rules (CREATE RULE), which change or skip what is written without an error",
                    "drop rule <name> on %1$s",
                    "Use an AFTER trigger instead."),
            new Defect(
                    "skips_rows",
                    "has a BEFORE trigger for each row, which can leave a row out without an error: a message would be taken for a"
                            + " repeat, or be sent again and again",
                    "drop trigger <name> on %1$s",
                    "Use an AFTER trigger instead, which cannot."),
            new Defect(
                    "misses_repeats",
                    "has no enabled trigger 'look', which finds repeats of messages in earlier partitions: they would be handled"
                            + " again",
                    "alter table %1$s enable trigger look",
                    ""),
            new Defect(
                    "joins_keys",
                    "has a unique index that takes different keys for equal (another type or collation, NULLS NOT DISTINCT, or"
                            + " other columns): what is new would be taken for a repeat, and not be done",
                    "drop that index of %1$s, and let its columns be as in the migrations",
                    ""),
            new Defect(
                    "loses_order",
                    "has a sequence that does not count one by one in all sessions: messages of one ordering key would be sent"
                            + " in another order",
                    "alter table %1$s alter column sequence set increment 1 set cache 1 set no cycle",
                    ""));

    private static final String COMMITS_IN_TWO_PHASES = """
            select exists (
                select 1
                from pg_catalog.pg_trigger
                where tgrelid = '{schema}.{table}'::regclass::oid and tgname = 'commit_in_two_phases' and tgenabled <> 'D')""";

    private final Schema schema;

    private final List<StorageFeature> features;

    /** Each with its tables, because a mistake is seldom made for one table alone. */
    private final Map<Defect, List<String>> broken = new LinkedHashMap<>();

    private final List<IdempotencyStartupException> mistakes = new ArrayList<>();

    TableCatalog(Schema schema, List<StorageFeature> features) {
        this.schema = schema;
        this.features = features;
    }

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
            if (kind != null) {
                return;
            }
            require(
                    row.getBoolean("has_key"),
                    "The table " + in(name) + " has no valid unique index on (" + columns
                            + "). A repeat may be stored beside the first, and take effect again.",
                    "Remove duplicates, if there are any, and run as the owner of the table: alter table "
                            + qualified(name) + " add "
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
            for (Defect defect : DEFECTS) {
                if (row.getBoolean(defect.column)) {
                    broken.computeIfAbsent(defect, first -> new ArrayList<>()).add(name);
                }
            }
        });
        broken.forEach((defect, names) -> require(
                false,
                (names.size() == 1 ? "The table " : "Each of the tables ") + in(String.join(", ", names)) + " "
                        + defect.problem + ".",
                "Run as the owner: "
                        + names.stream()
                                .map(name -> defect.statement.replace("%1$s", qualified(name)))
                                .collect(Collectors.joining("; "))
                        + "." + (defect.remark.isEmpty() ? "" : " " + defect.remark)));
        List<DistributedTable> distributed = new DistributedTables(schema, features).find(jdbcClient);
        distributed.forEach(this::requireSuitableDistribution);
        if (!distributed.isEmpty()) {
            tables().filter(table -> table.is(Trait.COMMITTED_WITH_CALLS))
                    .forEach(table -> requireTwoPhases(jdbcClient, table.name()));
        }
        report();
    }

    private void require(boolean holds, String problem, String action) {
        if (!holds) {
            mistakes.add(new IdempotencyStartupException(problem, action));
        }
    }

    private void report() {
        if (mistakes.size() == 1) {
            throw mistakes.get(0);
        }
        if (!mistakes.isEmpty()) {
            throw new IdempotencyStartupException(
                    lines(mistakes.stream().map(IdempotencyStartupException::problem)),
                    lines(mistakes.stream().map(IdempotencyStartupException::action)));
        }
    }

    private static String lines(Stream<String> parts) {
        return parts.collect(Collectors.joining(System.lineSeparator()));
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

    private String qualified(String name) {
        return schema.resolve("{schema}.") + name;
    }

    private String in(String name) {
        return name + " in schema '" + schema.name() + "'";
    }

    /**
     * A defect of a table that start-up refuses.
     *
     * @param column the column of the query that says whether it is
     * @param problem what follows the names of the tables
     * @param statement what mends it, for one table
     * @param remark what else may be done; empty if nothing
     */
    private record Defect(String column, String problem, String statement, String remark) {}
}
