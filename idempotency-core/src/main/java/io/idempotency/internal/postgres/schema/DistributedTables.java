package io.idempotency.internal.postgres.schema;

import java.util.Map;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;

import static java.util.stream.Collectors.toMap;

/** The tables of the schema that Citus distributes over its workers. */
public final class DistributedTables {

    private final Schema schema;

    /**
     * Prepares the queries.
     *
     * @param schema the schema of the tables
     */
    public DistributedTables(Schema schema) {
        this.schema = schema;
    }

    /**
     * Finds the distributed tables.
     *
     * @param jdbcClient a client of the database
     * @return the distribution column of each, by the name of the table; empty without Citus
     */
    public Map<String, String> find(JdbcClient jdbcClient) {
        if (!jdbcClient.sql(SchemaSql.HAS_CITUS).query(Boolean.class).single()) {
            return Map.of();
        }
        return jdbcClient.sql(schema.resolve(SchemaSql.DISTRIBUTED_TABLES)).query().listOfRows().stream()
                .collect(toMap(row -> (String) row.get("table_name"), row -> (String) row.get("column_name")));
    }
}
