package io.idempotency.internal.postgres.schema;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;

/** The tables of the schema that Citus keeps on its workers. */
public final class DistributedTables {

    private final Schema schema;

    /** Prepares the queries. */
    public DistributedTables(Schema schema) {
        this.schema = schema;
    }

    /**
     * Finds the tables that Citus knows.
     *
     * @return the tables; none without Citus
     */
    public List<DistributedTable> find(JdbcClient jdbcClient) {
        if (!jdbcClient.sql(SchemaSql.HAS_CITUS).query(Boolean.class).single()) {
            return List.of();
        }
        return jdbcClient
                .sql(schema.resolve(SchemaSql.DISTRIBUTED_TABLES))
                .query((row, number) -> new DistributedTable(
                        StorageTable.valueOf(row.getString("table_name").toUpperCase(Locale.ROOT)),
                        row.getBoolean("is_hashed"),
                        row.getString("column_name")))
                .list();
    }

    /**
     * A table that Citus knows.
     *
     * @param isHashed whether its rows are in shards, by the hash of a column
     * @param column that column; {@code null} if there is none
     */
    public record DistributedTable(
            StorageTable table, boolean isHashed, @Nullable String column) {}
}
