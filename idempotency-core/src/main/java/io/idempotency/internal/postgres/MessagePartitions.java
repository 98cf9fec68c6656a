package io.idempotency.internal.postgres;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;

/**
 * Whether handled messages are in partitions. The catalog says so, because another instance or an operator may have made them.
 */
final class MessagePartitions {

    /** The table that can be in partitions. */
    static final String TABLE = "processed_message";

    private static final String EXIST = """
            select exists (
                select 1
                from pg_catalog.pg_class as c
                join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
                where n.nspname = '{name}' and c.relname = 'processed_message' and c.relkind = 'p')""";

    private final String exist;

    MessagePartitions(Schema schema) {
        this.exist = EXIST.replace("{name}", schema.name());
    }

    boolean exist(JdbcClient jdbcClient) {
        return jdbcClient.sql(exist).query(Boolean.class).single();
    }
}
