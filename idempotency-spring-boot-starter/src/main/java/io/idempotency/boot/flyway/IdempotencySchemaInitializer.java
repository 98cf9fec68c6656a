package io.idempotency.boot.flyway;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.SpringProperties;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.engine.EngineVerifier;
import io.idempotency.internal.postgres.schema.StorageSchema;

/**
 * The initializer that migrates the tables with its own Flyway, which is no bean: a Flyway bean would switch off the
 * application's. It has its own schema history, so its versions may be the same as the application's.
 */
final class IdempotencySchemaInitializer implements InitializingBean {

    private static final Logger logger = LoggerFactory.getLogger(IdempotencySchemaInitializer.class);

    private static final String HISTORY_TABLE = "idempotency_schema_history";

    private final StorageSchema schema;

    private final EngineVerifier engine;

    private final DataSource dataSource;

    private final IdempotencyProperties properties;

    private final IdempotencyMigrationProperties migration;

    private final MessagePartitionSettings partitions;

    private final boolean archive;

    private final DatabaseReachability reachability;

    /**
     * Creates the initializer.
     *
     * @param archive whether expired rows are archived, so that the archive tables must exist
     */
    IdempotencySchemaInitializer(
            StorageSchema schema,
            EngineVerifier engine,
            DataSource dataSource,
            IdempotencyProperties properties,
            IdempotencyMigrationProperties migration,
            MessagePartitionSettings partitions,
            boolean archive) {
        this.schema = schema;
        this.engine = engine;
        this.dataSource = dataSource;
        this.properties = properties;
        this.migration = migration;
        this.partitions = partitions;
        this.archive = archive;
        this.reachability = new DatabaseReachability(properties.dataSource(), migration.url());
    }

    @Override
    public void afterPropertiesSet() throws MetaDataAccessException {
        try {
            reachability.requireApplicationDatabase(dataSource);
        } catch (IdempotencyStartupException unreachable) {
            if (!isEndedOnRefresh()) {
                throw unreachable;
            }
            logger.info(
                    "{} Nothing is migrated or verified, because spring.context.exit = onRefresh ends this process before it works.",
                    unreachable.getMessage());
            return;
        }
        migrateAndVerify();
    }

    /** Returns whether this is the training run of an AOT cache, which may be made where there is no database. */
    private static boolean isEndedOnRefresh() {
        return DefaultLifecycleProcessor.ON_REFRESH_VALUE.equalsIgnoreCase(
                SpringProperties.getProperty(DefaultLifecycleProcessor.EXIT_PROPERTY_NAME));
    }

    private void migrateAndVerify() throws MetaDataAccessException {
        if (properties.verifyEngine()) {
            engine.requireSuitableServer();
        }
        schema.requireSupportedServer();
        if (properties.migrate()) {
            DataSource owner = owner();
            if (owner != dataSource) {
                reachability.requireMigrationDatabase(owner);
            }
            schema.migrate(owner, this::migrateAndInstall);
            partitions.apply(owner);
        }
        schema.validate();
        if (properties.verifyEngine()) {
            engine.verifyTables();
        }
        partitions.warnIfDifferent();
        if (archive) {
            schema.validateArchive();
        }
    }

    private DataSource owner() throws MetaDataAccessException {
        if (migration.user() == null && migration.url() == null) {
            return dataSource;
        }
        String url = migration.url() != null
                ? migration.url()
                : JdbcUtils.extractDatabaseMetaData(dataSource, server -> server.getURL());
        PGSimpleDataSource owner = new PGSimpleDataSource();
        owner.setUrl(url);
        if (migration.user() != null) {
            // Replaces the application's role, which the URL may name.
            owner.setUser(migration.user());
            owner.setPassword(migration.password());
        }
        return owner;
    }

    private void migrateAndInstall(Connection connection) {
        migrate(connection, properties.schema(), PostgresStorage.class.getClassLoader());
        if (properties.sqlFunctions()) {
            schema.installFunctions(connection);
        }
    }

    static void migrate(Connection connection, String schema, ClassLoader classLoader) {
        Flyway.configure(classLoader)
                .dataSource(new TransactionDataSource(connection))
                .resourceProvider(new ListedMigrations(classLoader))
                .javaMigrationClassProvider(List::of)
                .defaultSchema(schema)
                .createSchemas(false)
                .table(HISTORY_TABLE)
                // The application's own schema has tables already; version 0 precedes all of these migrations.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .placeholders(Map.of("schema", schema))
                .loggers("slf4j")
                .load()
                .migrate();
    }
}
