package io.idempotency.boot.flyway;

import java.sql.Connection;
import java.util.Map;
import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.schema.StorageSchema;

/**
 * Migrates the tables with a Flyway of its own, which is no bean: a Flyway bean would switch off the application's. Its
 * schema history is its own too, so that versions may be the same as the application's.
 */
final class IdempotencySchemaInitializer implements InitializingBean {

    private static final String HISTORY_TABLE = "idempotency_schema_history";

    private final StorageSchema schema;

    private final DataSource dataSource;

    private final IdempotencyProperties properties;

    private final MessagePartitionSettings partitions;

    private final DatabaseReachability reachability;

    IdempotencySchemaInitializer(StorageSchema schema, DataSource dataSource, IdempotencyProperties properties) {
        this.schema = schema;
        this.dataSource = dataSource;
        this.properties = properties;
        this.reachability = new DatabaseReachability(properties);
        this.partitions =
                new MessagePartitionSettings(schema, properties.storage().processedMessages());
    }

    @Override
    public void afterPropertiesSet() throws MetaDataAccessException {
        reachability.requireApplications(dataSource);
        schema.requireSupportedServer();
        if (properties.migrate()) {
            DataSource owner = owner();
            if (owner != dataSource) {
                reachability.requireMigrations(owner);
            }
            schema.migrate(owner, this::migrateAndInstall);
            partitions.apply(owner);
        }
        schema.validate();
        partitions.warn();
        if (properties.purge().archive()) {
            schema.validateArchive();
        }
    }

    private DataSource owner() throws MetaDataAccessException {
        IdempotencyProperties.Migration migration = properties.migration();
        if (migration.user() == null && migration.url() == null) {
            return dataSource;
        }
        String url = migration.url() != null
                ? migration.url()
                : JdbcUtils.extractDatabaseMetaData(dataSource, server -> server.getURL());
        PGSimpleDataSource owner = new PGSimpleDataSource();
        owner.setUrl(url);
        if (migration.user() != null) {
            // Instead of the application's role, which the URL may name.
            owner.setUser(migration.user());
            owner.setPassword(migration.password());
        }
        return owner;
    }

    private void migrateAndInstall(Connection connection) {
        migrate(connection);
        if (properties.sqlFunctions()) {
            schema.installFunctions(connection);
        }
    }

    private void migrate(Connection connection) {
        Flyway.configure(PostgresStorage.class.getClassLoader())
                .dataSource(new TransactionDataSource(connection))
                .locations("classpath:" + PostgresStorage.MIGRATIONS)
                .defaultSchema(properties.schema())
                .createSchemas(false)
                .table(HISTORY_TABLE)
                // In the application's own schema there are tables already, and version 0 comes before all of ours.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .placeholders(Map.of("schema", properties.schema()))
                .loggers("slf4j")
                .load()
                .migrate();
    }
}
