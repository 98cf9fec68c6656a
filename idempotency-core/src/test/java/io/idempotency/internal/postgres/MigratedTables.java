package io.idempotency.internal.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.test.TestDatabase;

/** The library's tables in a test database, migrated in the way of the starter. */
public final class MigratedTables {

    public static final String SCHEMA = "idempotency";

    /** The features of all modules that are on the class path. */
    public static final List<StorageFeature> ALL = Stream.concat(
                    CoreFeatures.all().stream(),
                    ServiceLoader.load(Features.class).stream().flatMap(module -> module.get().all().stream()))
            .toList();

    private MigratedTables() {}

    /** The features of another module, which names its implementation as a service. */
    @FunctionalInterface
    public interface Features {

        List<StorageFeature> all();
    }

    /** Migrates into the schema {@value #SCHEMA}. */
    public static PostgresStorage in(TestDatabase database) {
        return in(database.dataSource(), SCHEMA);
    }

    /** Migrates into the schema {@value #SCHEMA}, and installs the functions for callers that are not Java. */
    public static PostgresStorage withFunctionsIn(TestDatabase database) {
        return withFunctionsIn(database.dataSource(), SCHEMA);
    }

    public static PostgresStorage withFunctionsIn(DataSource dataSource, String schema) {
        PostgresStorage storage = storage(dataSource, schema);
        storage.schema().migrate(dataSource, connection -> {
            migrate(connection, schema);
            storage.schema().installFunctions(connection);
        });
        return storage;
    }

    public static PostgresStorage in(DataSource dataSource, String schema) {
        PostgresStorage storage = storage(dataSource, schema);
        storage.schema().migrate(dataSource, connection -> migrate(connection, schema));
        storage.schema().validate();
        return storage;
    }

    /** The storage of all features. */
    public static PostgresStorage storage(DataSource dataSource, String schema) {
        return new PostgresStorage(dataSource, schema, ALL);
    }

    public static void migrate(Connection connection, String schema) {
        ALL.forEach(feature -> migrate(connection, schema, feature));
    }

    private static void migrate(Connection connection, String schema, StorageFeature feature) {
        Flyway.configure(PostgresStorage.class.getClassLoader())
                .dataSource(new SingleConnectionDataSource(inOpenTransaction(connection), true))
                .locations("classpath:" + feature.location())
                .defaultSchema(schema)
                .createSchemas(false)
                .table(feature.historyTable())
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .placeholders(Map.of("schema", schema))
                .loggers("slf4j")
                .load()
                .migrate();
    }

    /** Flyway would end the transaction, and with it the lock, after each of its steps. */
    private static Connection inOpenTransaction(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                MigratedTables.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "commit", "setAutoCommit", "setReadOnly" -> null;
                    default -> {
                        try {
                            yield method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getTargetException();
                        }
                    }
                });
    }
}
