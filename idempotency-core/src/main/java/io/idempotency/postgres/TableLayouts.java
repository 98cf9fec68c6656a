package io.idempotency.postgres;

import java.util.Set;

import org.springframework.jdbc.core.simple.JdbcClient;

/** Which tables are in partitions. The catalog says so, because another instance or an operator may have made them. */
final class TableLayouts {

    private static final String FIND_PARTITIONED = """
            select c.relname
            from pg_catalog.pg_class as c
            join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
            where n.nspname = '{name}' and c.relkind = 'p'""";

    private static final String HAS_KNOWN_PARTITIONS =
            "select exists (select 1 from {schema}.storage_partition where parent = cast(? as text))";

    private final String findPartitioned;

    private final String hasKnownPartitions;

    TableLayouts(Schema schema) {
        this.hasKnownPartitions = schema.resolve(HAS_KNOWN_PARTITIONS);
        this.findPartitioned = FIND_PARTITIONED.replace("{name}", schema.name());
    }

    Set<String> findPartitioned(JdbcClient jdbcClient) {
        return jdbcClient.sql(findPartitioned).query(String.class).set();
    }

    /** Whether the maintenance has made partitions that are still there. */
    boolean hasKnownPartitions(JdbcClient jdbcClient, String parent) {
        return jdbcClient
                .sql(hasKnownPartitions)
                .param(parent)
                .query(Boolean.class)
                .single();
    }
}
