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

    private final String findPartitioned;

    TableLayouts(Schema schema) {
        this.findPartitioned = FIND_PARTITIONED.replace("{name}", schema.name());
    }

    Set<String> findPartitioned(JdbcClient jdbcClient) {
        return jdbcClient.sql(findPartitioned).query(String.class).set();
    }
}
