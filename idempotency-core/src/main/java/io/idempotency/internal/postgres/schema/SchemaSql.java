package io.idempotency.internal.postgres.schema;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The statements that create, check and grant the tables. */
final class SchemaSql {

    static final String SEARCH_PATH = "select current_setting('search_path')";

    /** Without it Flyway's own statements would find objects that others have planted in the schema public. */
    static final String SEARCH_NOTHING_ELSE = "set local search_path = pg_catalog, pg_temp";

    /** Restores the setting of the session, which is what Flyway sets. */
    static final String SEARCH_AGAIN = "select set_config('search_path', cast(? as text), false)";

    static final String IDENTITY = """
            select d.datname as name, c.system_identifier::text as system_identifier, d.oid::bigint as oid,
                   pg_postmaster_start_time()::text as server_start, current_user::text as role,
                   current_schemas(false)::text as schemas
            from pg_catalog.pg_database d, pg_catalog.pg_control_system() c
            where d.datname = current_database()""";

    static final String EXISTS =
            "select exists (select 1 from pg_catalog.pg_namespace where nspname = cast(? as text))";

    static final String CREATE = "create schema {schema}";

    private static final String TABLES = StorageTable.writable()
            .map(StorageTable::tableName)
            .collect(Collectors.joining("', '", "pg_catalog.unnest(array['", "']) as t(name)"));

    private static final String ALL = Stream.of(StorageTable.values())
            .map(table -> "('%s', %s)".formatted(table.tableName(), table.isWritable()))
            .collect(Collectors.joining(", ", "(values ", ") as t (name, written)"));

    /** Avoids that Flyway tries for ten seconds to create tables that it may not create. */
    static final String MAY_NOT_CREATE_TABLES = """
            select not has_schema_privilege(cast(? as text), 'CREATE') and exists (
                select 1
                from %s
                where to_regclass('{schema}.' || t.name) is null)""".formatted(ALL);

    /** Fails, and says why, if the table does not exist, is older than this version, or must not be read. */
    static final String READ_NOTHING = "select %s from {schema}.%s where false";

    static final String MISSING_PRIVILEGES = """
            select distinct p.name
            from pg_catalog.unnest(array['INSERT', 'UPDATE', 'DELETE']) as p(name), %s
            where not has_table_privilege('{schema}.' || t.name, p.name)
            order by p.name""".formatted(TABLES);

    /** Fails, and says why, if rows of the one cannot be moved to the other. */
    static final String ARCHIVE_NOTHING = """
            insert into {schema}.%2$s_archive (%1$s, archived_at)
            select %1$s, clock_timestamp()
            from {schema}.%2$s
            where false""";

    /** One query, because health is asked for every few seconds. */
    static final String UNUSABLE = """
            select t.name || coalesce(' may not be used: ' || p.missing, ' does not exist')
            from (select t.name, t.written, to_regclass('{schema}.' || t.name) as id from %s) as t
            left join lateral (
                select string_agg(p.name, ', ' order by p.name) as missing, count(*) as number
                from pg_catalog.unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as p (name)
                where (t.written or p.name = 'SELECT') and not has_table_privilege(t.id::oid, p.name)) as p on true
            where t.id is null or p.number > 0
            order by t.name""".formatted(ALL);

    static final String HAS_CITUS = "select to_regclass('pg_catalog.pg_dist_partition') is not null";

    /**
     * Reads the column from the text of Citus's own catalog, so that no function of Citus is needed. A table without one that is
     * in no group is local to the coordinator.
     */
    static final String DISTRIBUTED_TABLES = """
            select t.name as table_name, d.partmethod = 'h' as is_hashed, a.attname as column_name
            from %s
            join pg_catalog.pg_dist_partition as d on d.logicalrelid = to_regclass('{schema}.' || t.name)
            left join pg_catalog.pg_attribute as a on a.attrelid = d.logicalrelid
                and a.attnum = cast(substring(d.partkey from ':varattno ([0-9]+)') as int2)
            where d.partkey is not null or d.repmodel <> 's' or d.colocationid <> 0""".formatted(ALL);

    static final String CURRENT_ROLE = "select quote_ident(current_user::text)";

    static final String GRANT_SCHEMA = "grant usage on schema {schema} to ";

    static final String GRANT_READING = "grant select on {schema}.%s to ";

    static final String GRANT_TABLE = "grant select, insert, update, delete on {schema}.%s to ";

    /** The application never reads or changes archived rows. */
    static final String GRANT_ARCHIVE = "grant insert on {schema}.%s_archive to ";

    private SchemaSql() {}
}
