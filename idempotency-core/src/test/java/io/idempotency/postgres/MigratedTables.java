package io.idempotency.postgres;

import java.util.Map;
import javax.sql.DataSource;

import org.flywaydb.core.Flyway;

import io.idempotency.test.TestDatabase;

/** The library's tables in a test database, migrated in the way of the starter. */
public final class MigratedTables {

    public static final String SCHEMA = "idempotency";

    private MigratedTables() {}

    /** Migrates into the schema {@value #SCHEMA}. */
    public static PostgresStorage in(TestDatabase database) {
        return in(database.dataSource(), SCHEMA);
    }

    static PostgresStorage in(DataSource dataSource, String schema) {
        PostgresStorage storage = new PostgresStorage(dataSource, schema);
        new OwnTransaction(dataSource)
                .call(jdbcClient -> jdbcClient
                        .sql("create schema if not exists \"" + schema + "\"")
                        .update());
        migrate(dataSource, schema);
        storage.schema().validate();
        return storage;
    }

    static void migrate(DataSource dataSource, String schema) {
        Flyway.configure(PostgresStorage.class.getClassLoader())
                .dataSource(dataSource)
                .locations("classpath:" + PostgresStorage.MIGRATIONS)
                .defaultSchema(schema)
                .createSchemas(false)
                .table("idempotency_schema_history")
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .placeholders(Map.of("schema", schema))
                .loggers("slf4j")
                .load()
                .migrate();
    }
}
