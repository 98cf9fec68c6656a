package io.idempotency.internal.postgres.schema;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;

/** The tables of the schema that Citus keeps on its workers. */
public final class DistributedTables {

    private final Map<String, StorageTable> tables;

    private final String findDistributed;

    /** Prepares the queries. */
    public DistributedTables(Schema schema, List<StorageFeature> features) {
        this.tables = features.stream()
                .flatMap(feature -> feature.tables().stream())
                .collect(Collectors.toMap(StorageTable::name, Function.identity()));
        this.findDistributed = schema.resolve(SchemaSql.distributedTables(features));
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
                .sql(findDistributed)
                .query((row, number) -> new DistributedTable(
                        Objects.requireNonNull(tables.get(row.getString("table_name"))),
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
