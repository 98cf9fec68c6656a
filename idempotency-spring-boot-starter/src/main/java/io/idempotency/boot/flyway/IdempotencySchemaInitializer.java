package io.idempotency.boot.flyway;

import java.sql.Connection;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
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
import io.idempotency.internal.postgres.engine.EngineVerifier;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageSchema;

/** The initializer that migrates the tables or leaves that to others, and checks them and their database. */
final class IdempotencySchemaInitializer implements InitializingBean {

    private static final Logger logger = LoggerFactory.getLogger(IdempotencySchemaInitializer.class);

    private final StorageSchema schema;

    private final EngineVerifier engine;

    private final DataSource dataSource;

    private final IdempotencyProperties properties;

    private final IdempotencyMigrationProperties migration;

    private final @Nullable SchemaMigrations migrations;

    private final List<SchemaCallback> callbacks;

    private final DatabaseReachability reachability;

    IdempotencySchemaInitializer(
            StorageSchema schema,
            EngineVerifier engine,
            DataSource dataSource,
            IdempotencyProperties properties,
            IdempotencyMigrationProperties migration,
            @Nullable SchemaMigrations migrations,
            List<SchemaCallback> callbacks) {
        this.schema = schema;
        this.engine = engine;
        this.dataSource = dataSource;
        this.properties = properties;
        this.migration = migration;
        this.migrations = migrations;
        this.callbacks = callbacks;
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
            SchemaMigrations present = requireMigrations();
            DataSource owner = owner();
            if (owner != dataSource) {
                reachability.requireMigrationDatabase(owner);
            }
            schema.migrate(owner, connection -> migrateAndInstall(present, connection));
            callbacks.forEach(callback -> callback.afterMigration(owner));
        }
        schema.validate();
        if (properties.verifyEngine()) {
            engine.verifyTables();
        }
        callbacks.forEach(SchemaCallback::afterValidation);
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

    private SchemaMigrations requireMigrations() {
        if (migrations == null) {
            throw new IdempotencyStartupException(
                    "The idempotency tables in schema '" + properties.schema()
                            + "' cannot be migrated, because Flyway is not on the class path.",
                    "Add org.flywaydb:flyway-core and org.flywaydb:flyway-database-postgresql, which the starter brings"
                            + " unless they are excluded. Or set idempotency.migrate = false, and let Liquibase run "
                            + schema.features().stream()
                                    .map(StorageFeature::changelog)
                                    .collect(Collectors.joining(", "))
                            + ".");
        }
        return migrations;
    }

    private void migrateAndInstall(SchemaMigrations present, Connection connection) {
        present.run(connection, properties.schema(), schema.features(), StorageSchema.class.getClassLoader());
        if (properties.sqlFunctions()) {
            schema.installFunctions(connection);
        }
    }
}
