package io.idempotency.internal.postgres.schema;

import java.sql.Connection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.retention.PartitionPeriod;
import io.idempotency.internal.transaction.DatabaseIdentity;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/** The creation, migration, validation and partitioning of the schema. */
public final class StorageSchema {

    /** The location of the migrations on the class path. They take the schema's name as the placeholder {@code schema}. */
    public static final String MIGRATIONS = "io/idempotency/internal/postgres/migration";

    /** The files of the migrations. They are listed, because the class loader of a native image cannot search. */
    public static final List<String> MIGRATION_FILES =
            List.of("V1__requests.sql", "V2__inbox.sql", "V3__outbox.sql", "V4__retention.sql");

    /** The location of the SQL functions on the class path. They take the same placeholder. */
    public static final String SQL_FUNCTIONS = "io/idempotency/internal/postgres/sql-functions.sql";

    private static final int OLDEST_SERVER = 14;

    private static final String POSTGRESQL = "PostgreSQL";

    private static final String IN_TEST_SLICES =
            " A test slice such as @JdbcTest or @DataJpaTest puts an embedded database"
                    + " in the place of the DataSource: keep it with @AutoConfigureTestDatabase(replace = Replace.NONE), or set"
                    + " idempotency.enabled = false where the test calls no idempotent method.";

    private final Schema schema;

    private final DataSource dataSource;

    private final RequiresNewTransaction transaction;

    private final BoundedTransaction boundedTransaction;

    public StorageSchema(Schema schema, DataSource dataSource) {
        this.schema = schema;
        this.dataSource = dataSource;
        this.transaction = RequiresNewTransaction.on(dataSource);
        this.boundedTransaction = new BoundedTransaction(dataSource);
    }

    /**
     * Checks that the library supports the server.
     *
     * @throws StorageSchemaException if it is not PostgreSQL 14 or later
     * @throws MetaDataAccessException if the database cannot be queried
     */
    public void requireSupportedServer() throws MetaDataAccessException {
        String unsupported = JdbcUtils.extractDatabaseMetaData(dataSource, server -> {
            boolean supported = POSTGRESQL.equals(server.getDatabaseProductName())
                    && server.getDatabaseMajorVersion() >= OLDEST_SERVER;
            return supported ? "" : server.getDatabaseProductName() + " " + server.getDatabaseProductVersion();
        });
        if (!unsupported.isEmpty()) {
            throw new StorageSchemaException(
                    "The idempotency tables cannot be kept in " + unsupported + ".",
                    "Use PostgreSQL " + OLDEST_SERVER
                            + " or later, or name the DataSource of such a database with idempotency.data-source."
                            + (unsupported.startsWith(POSTGRESQL) ? "" : IN_TEST_SLICES),
                    null);
        }
    }

    /**
     * Creates the schema if it does not exist, migrates its tables, and grants the application's role their use. All of it is
     * one transaction under one lock: instances that start together take turns, and a failure changes nothing.
     *
     * @param migrations the migrations, on the connection of that transaction, which they must not end
     * @throws StorageSchemaException if the role that migrates cannot do so
     */
    public void migrate(DataSource owner, Consumer<Connection> migrations) {
        try {
            List<String> grants = owner == dataSource ? List.of() : grantsTo(applicationRole());
            RequiresNewTransaction.on(owner).call(connection -> {
                JdbcClient jdbcClient = Clients.on(connection);
                jdbcClient.sql(Clients.READ_COMMITTED).update();
                jdbcClient.sql(Schema.LOCK).query().singleValue();
                String searchPath = jdbcClient
                        .sql(SchemaSql.SEARCH_PATH)
                        .query(String.class)
                        .single();
                jdbcClient.sql(SchemaSql.SEARCH_NOTHING_ELSE).update();
                createIfMissing(jdbcClient);
                migrations.accept(connection);
                grants.forEach(grant -> jdbcClient.sql(grant).update());
                jdbcClient
                        .sql(SchemaSql.SEARCH_AGAIN)
                        .param(searchPath)
                        .query(String.class)
                        .single();
                return grants;
            });
        } catch (RuntimeException failure) {
            throw new StorageSchemaException(
                    "The idempotency tables in schema '" + schema.name() + "' could not be migrated: "
                            + SqlFailures.reason(failure) + ".",
                    "Name a role that may create the schema and its tables with idempotency.migration.user, or set"
                            + " idempotency.migrate = false and run the migrations in " + MIGRATIONS
                            + " yourself.",
                    failure);
        }
    }

    /**
     * Returns the identity of the database of a connection.
     *
     * @throws DataAccessException if PostgreSQL reports an error
     */
    public static DatabaseIdentity identityOf(Connection connection) {
        return Clients.on(connection)
                .sql(SchemaSql.IDENTITY)
                .query(DatabaseIdentity.class)
                .single();
    }

    /**
     * Installs the SQL functions and the views, or replaces older ones. If the role may not do so, or another object has one of
     * the names, a warning is logged and the rest of the transaction is kept.
     *
     * @throws DataAccessException if PostgreSQL reports another error
     */
    public void installFunctions(Connection connection) {
        new SqlFunctions(schema).install(connection);
    }

    /** Queries first, because even {@code create schema if not exists} needs the privilege to create one. */
    private void createIfMissing(JdbcClient jdbcClient) {
        if (!isTrue(jdbcClient, SchemaSql.EXISTS)) {
            jdbcClient.sql(schema.resolve(SchemaSql.CREATE)).update();
        } else if (isTrue(jdbcClient, SchemaSql.MAY_NOT_CREATE_TABLES)) {
            throw new IllegalStateException("permission denied for schema " + schema.name());
        }
    }

    private boolean isTrue(JdbcClient jdbcClient, String condition) {
        return jdbcClient
                .sql(schema.resolve(condition))
                .param(schema.name())
                .query(Boolean.class)
                .single();
    }

    private String applicationRole() {
        return transaction.call(Clients.withClient(jdbcClient ->
                jdbcClient.sql(SchemaSql.CURRENT_ROLE).query(String.class).single()));
    }

    /**
     * Partitions the table of handled messages if it is empty. Otherwise an operator decides when to do so.
     *
     * @return {@code false} if the table is unchanged, because it holds rows, is in use, or would lose objects that others have
     *     created for it; in the last case a warning is logged
     * @throws StorageSchemaException if the role that migrates cannot do so
     */
    public boolean partitionIfEmpty(DataSource owner, PartitionPeriod period) {
        try {
            return new MessagePartitions(schema).partitionIfEmpty(owner, period);
        } catch (DataAccessException failure) {
            throw new StorageSchemaException(
                    "The table processed_message in schema '" + schema.name() + "' could not be partitioned: "
                            + SqlFailures.reason(failure) + ".",
                    "Name the owner of the tables with idempotency.migration.user, or set"
                            + " idempotency.storage.processed-messages = rows.",
                    failure);
        }
    }

    /**
     * Returns whether handled messages are in partitions, independently of the configuration.
     *
     * @return whether the table is partitioned
     */
    public boolean isPartitioned() {
        return boundedTransaction.query(new MessagePartitions(schema)::exist);
    }

    /**
     * Checks that the tables exist, belong to this version, and may be used.
     *
     * @throws StorageSchemaException if not
     */
    public void validate() {
        List<String> missingPrivileges = check(jdbcClient -> {
            for (StorageTable table : StorageTable.values()) {
                jdbcClient
                        .sql(schema.resolve(SchemaSql.READ_NOTHING.formatted(table.columns(), table.tableName())))
                        .query()
                        .listOfRows();
            }
            return jdbcClient
                    .sql(schema.resolve(SchemaSql.MISSING_PRIVILEGES))
                    .query(String.class)
                    .list();
        });
        if (!missingPrivileges.isEmpty()) {
            throw new StorageSchemaException(
                    "The application's role has no right to " + String.join(", ", missingPrivileges)
                            + " on the idempotency tables in schema '" + schema.name() + "'.",
                    "Run as their owner: " + String.join("; ", grantsTo("<role of the application>")) + ".",
                    null);
        }
    }

    /**
     * Checks that expired rows can be moved to the archive.
     *
     * @throws StorageSchemaException if not
     */
    public void validateArchive() {
        check(jdbcClient -> StorageTable.expiring()
                .mapToInt(table -> jdbcClient
                        .sql(schema.resolve(SchemaSql.ARCHIVE_NOTHING.formatted(table.columns(), table.tableName())))
                        .update())
                .sum());
    }

    private <T> T check(Function<JdbcClient, T> statements) {
        try {
            return transaction.call(Clients.withClient(statements));
        } catch (DataAccessException failure) {
            throw new StorageSchemaException(
                    "The idempotency tables in schema '" + schema.name() + "' cannot be used: "
                            + SqlFailures.reason(failure) + ".",
                    "Set idempotency.migrate = true, or run the migrations in " + MIGRATIONS
                            + " and then as their owner: " + String.join("; ", grantsTo("<role of the application>"))
                            + ".",
                    failure);
        }
    }

    /**
     * Finds tables that are missing or may not be used. Cheaper than {@link #validate}, because it does not check the columns.
     *
     * @throws DataAccessException if the query fails or takes longer than five seconds
     */
    public List<String> findProblems() {
        return boundedTransaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(SchemaSql.UNUSABLE))
                .query(String.class)
                .list());
    }

    private List<String> grantsTo(String role) {
        return Stream.of(
                        Stream.of(SchemaSql.GRANT_SCHEMA),
                        StorageTable.writable().map(table -> SchemaSql.GRANT_TABLE.formatted(table.tableName())),
                        StorageTable.readOnly().map(table -> SchemaSql.GRANT_READING.formatted(table.tableName())),
                        StorageTable.expiring().map(table -> SchemaSql.GRANT_ARCHIVE.formatted(table.tableName())))
                .flatMap(grants -> grants)
                .map(grant -> schema.resolve(grant) + role)
                .toList();
    }
}
