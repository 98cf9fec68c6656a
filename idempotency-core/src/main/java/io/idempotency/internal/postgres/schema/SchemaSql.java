package io.idempotency.internal.postgres.schema;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

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

    /** Avoids that Flyway tries for ten seconds to create tables that it may not create. */
    private static final String MAY_NOT_CREATE_TABLES = """
            select not has_schema_privilege(cast(? as text), 'CREATE') and exists (
                select 1
                from %s
                where to_regclass('{schema}.' || t.name) is null)""";

    private static final String MISSING_TABLES = """
            select t.name
            from %s
            where to_regclass('{schema}.' || t.name) is null""";

    /** Fails, and says why, if the table is older than this version, or must not be read. */
    static final String READ_NOTHING = "select %s from {schema}.%s where false";

    private static final String MISSING_PRIVILEGES = """
            select distinct p.name
            from %s
            cross join lateral pg_catalog.unnest(pg_catalog.string_to_array(t.privileges, ', ')) as p (name)
            where not has_table_privilege('{schema}.' || t.name, p.name)
            order by p.name""";

    /** Fails, and says why, if rows of the table cannot be moved to its archive. */
    static final String ARCHIVE_NOTHING = """
            insert into {schema}.%2$s_archive (%1$s, archived_at)
            select %1$s, clock_timestamp()
            from {schema}.%2$s
            where false""";

    /** One query, because health is asked for every few seconds. */
    private static final String UNUSABLE = """
            select t.name || coalesce(' may not be used: ' || p.missing, ' does not exist')
            from (select t.name, t.privileges, to_regclass('{schema}.' || t.name) as id from %s) as t
            left join lateral (
                select string_agg(p.name, ', ' order by p.name) as missing, count(*) as number
                from pg_catalog.unnest(pg_catalog.string_to_array(t.privileges, ', ')) as p (name)
                where not has_table_privilege(t.id::oid, p.name)) as p on true
            where t.id is null or p.number > 0
            order by t.name""";

    static final String HAS_CITUS = "select to_regclass('pg_catalog.pg_dist_partition') is not null";

    /**
     * Reads the column from the text of Citus's own catalog, so that no function of Citus is needed. A table without one that is
     * in no group is local to the coordinator.
     */
    private static final String DISTRIBUTED_TABLES = """
            select t.name as table_name, d.partmethod = 'h' as is_hashed, a.attname as column_name
            from %s
            join pg_catalog.pg_dist_partition as d on d.logicalrelid::oid = to_regclass('{schema}.' || t.name)::oid
            left join pg_catalog.pg_attribute as a on a.attrelid = d.logicalrelid::oid
                and a.attnum = cast(substring(d.partkey from ':varattno ([0-9]+)') as int2)
            where d.partkey is not null or d.repmodel <> 's' or d.colocationid <> 0""";

    static final String CURRENT_ROLE = "select quote_ident(current_user::text)";

    static final String GRANT_SCHEMA = "grant usage on schema {schema} to ";

    private SchemaSql() {}

    static String mayNotCreateTables(List<StorageFeature> features) {
        return MAY_NOT_CREATE_TABLES.formatted(tablesOf(features));
    }

    static String missingTables(StorageFeature feature) {
        return MISSING_TABLES.formatted(tablesOf(List.of(feature)));
    }

    static String missingPrivileges(List<StorageFeature> features) {
        return MISSING_PRIVILEGES.formatted(tablesOf(features));
    }

    static String unusable(List<StorageFeature> features) {
        return UNUSABLE.formatted(tablesOf(features));
    }

    static String distributedTables(List<StorageFeature> features) {
        return DISTRIBUTED_TABLES.formatted(tablesOf(features));
    }

    static String grant(StorageTable table) {
        return "grant %s on {schema}.%s to "
                .formatted(table.access().privileges().toLowerCase(Locale.ROOT), table.name());
    }

    private static String tablesOf(List<StorageFeature> features) {
        return features.stream()
                .flatMap(feature -> feature.tables().stream())
                .map(table ->
                        "('%s', '%s')".formatted(table.name(), table.access().privileges()))
                .collect(Collectors.joining(", ", "(values ", ") as t (name, privileges)"));
    }
}
