package io.idempotency.internal.postgres.engine;

import java.util.Arrays;
import java.util.stream.Collectors;

import io.idempotency.internal.postgres.schema.StorageTable;

/** The statements that ask the server what it is and what it knows about the tables. */
final class EngineSql {

    static final String VERSION = "select version()";

    static final String IS_STANDBY = "select pg_is_in_recovery()";

    static final String IS_READ_ONLY = "select current_setting('transaction_read_only') = 'on'";

    /** The tables and their partitions, which have indexes, subscriptions and distributions of their own. */
    private static final String RELATIONS = """
            with stored as (
                select t.name, to_regclass('{schema}.' || t.name)::oid as id
                from (values %s) as t (name)),
            relation as (
                select name, id
                from stored
                union all
                select stored.name, p.oid
                from stored
                join pg_catalog.pg_inherits as i on i.inhparent = stored.id
                join pg_catalog.pg_class as p on p.oid = i.inhrelid and p.relispartition)
            """.formatted(Arrays.stream(StorageTable.values())
            .map(table -> "('" + table.tableName() + "')")
            .collect(Collectors.joining(", ")));

    /**
     * Returns of each relation the columns of its unique indexes that refuse a second row in every case: a partial, invalid or
     * deferrable one does not.
     */
    static final String DESCRIBE = RELATIONS + """
            select relation.name as table_name, c.relname as relation_name, c.relkind as kind,
                   exists (
                       select 1
                       from pg_catalog.pg_subscription_rel as r
                       join pg_catalog.pg_subscription as s on s.oid = r.srsubid
                       where r.srrelid = c.oid and s.subenabled) as is_subscriber,
                   exists (
                       select 1
                       from pg_catalog.pg_constraint as k
                       where k.conrelid = c.oid and k.conname = relation.name || '_pkey') as has_primary_key,
                   array(
                       select (
                           select string_agg(a.attname::text, ', ' order by a.attname)
                           from pg_catalog.pg_attribute as a
                           where a.attrelid = i.indrelid
                               and a.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
                       from pg_catalog.pg_index as i
                       where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indimmediate
                           and i.indpred is null and i.indexprs is null) as unique_keys
            from relation
            join pg_catalog.pg_class as c on c.oid = relation.id""";

    static final String OUTBOX_COMMITS_IN_TWO_PHASES = """
            select exists (
                select 1
                from pg_catalog.pg_trigger
                where tgrelid = '{schema}.outbox_event'::regclass and tgname = 'commit_in_two_phases' and tgenabled <> 'D')""";

    private EngineSql() {}
}
