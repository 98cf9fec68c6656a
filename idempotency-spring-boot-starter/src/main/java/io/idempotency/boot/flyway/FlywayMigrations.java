package io.idempotency.boot.flyway;

import java.sql.Connection;
import java.util.List;
import java.util.Map;

import org.flywaydb.core.Flyway;

import io.idempotency.internal.postgres.schema.StorageFeature;

/**
 * The migrations by a Flyway of the library's own, which is no bean: a Flyway bean would switch off the application's. Each
 * feature has its own schema history, so its versions may be the same as the application's or another feature's.
 */
final class FlywayMigrations {

    private FlywayMigrations() {}

    /** Migrates each feature, in the order of the list. */
    static void run(Connection connection, String schema, List<StorageFeature> features, ClassLoader classLoader) {
        features.forEach(feature -> run(connection, schema, feature, classLoader));
    }

    private static void run(Connection connection, String schema, StorageFeature feature, ClassLoader classLoader) {
        Flyway.configure(classLoader)
                .dataSource(new TransactionDataSource(connection))
                .resourceProvider(new ListedMigrations(feature, classLoader))
                .javaMigrationClassProvider(List::of)
                .defaultSchema(schema)
                .createSchemas(false)
                .table(feature.historyTable())
                // The schema has tables of others already; version 0 precedes all of these migrations.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .placeholders(Map.of("schema", schema))
                .loggers("slf4j")
                .load()
                .migrate();
    }
}
