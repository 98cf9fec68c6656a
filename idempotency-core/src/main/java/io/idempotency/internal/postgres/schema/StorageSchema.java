package io.idempotency.internal.postgres.schema;

import java.sql.Connection;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.TransactionLimits;
import io.idempotency.internal.postgres.schema.StorageTable.Access;
import io.idempotency.internal.transaction.DatabaseIdentity;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/** The creation, migration and validation of the schema. */
public final class StorageSchema {

    private static final String ROLE = "<role of the application>";

    private static final int OLDEST_SERVER = 14;

    private static final String POSTGRESQL = "PostgreSQL";

    private static final String IN_TEST_SLICES =
            " A test slice such as @JdbcTest or @DataJpaTest puts an embedded database"
                    + " in the place of the DataSource: keep it with @AutoConfigureTestDatabase(replace = Replace.NONE), or set"
                    + " idempotency.enabled = false where the test calls no idempotent method.";

    private final Schema schema;

    private final DataSource dataSource;

    private final List<StorageFeature> features;

    private final RequiresNewTransaction transaction;

    private final BoundedTransaction boundedTransaction;

    /**
     * Creates the schema's representation. Nothing is read or written yet.
     *
     * @param features what the application has, in the order in which it is migrated
     */
    public StorageSchema(Schema schema, DataSource dataSource, List<StorageFeature> features) {
        this.schema = schema;
        this.dataSource = dataSource;
        this.features = List.copyOf(features);
        this.transaction = RequiresNewTransaction.on(dataSource);
        this.boundedTransaction = new BoundedTransaction(dataSource);
    }

    /** Returns what the application has, in the order in which it is migrated. */
    public List<StorageFeature> features() {
        return features;
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
                JdbcClient jdbcClient = TransactionLimits.begin(connection, TransactionLimits.OF_MIGRATIONS);
                jdbcClient.sql(Schema.LOCK).query().singleRow();
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
                    MigrationAdvice.after(
                                    failure,
                                    "Name a role that may create the schema and its tables with idempotency.migration.user")
                            + " idempotency.migrate = false and run the migrations yourself: " + filesOf(features)
                            + ".",
                    failure);
        }
    }

    /** Returns the identity of the database of a connection. */
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
        for (StorageFeature feature : features) {
            // Those of later features call those of earlier ones.
            if (feature.functions() != null && !new SqlFunctions(schema, feature.functions()).install(connection)) {
                return;
            }
        }
    }

    /** Queries first, because even {@code create schema if not exists} needs the privilege to create one. */
    private void createIfMissing(JdbcClient jdbcClient) {
        if (!isTrue(jdbcClient, SchemaSql.EXISTS)) {
            jdbcClient.sql(schema.resolve(SchemaSql.CREATE)).update();
        } else if (isTrue(jdbcClient, SchemaSql.mayNotCreateTables(features))) {
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
     * Checks that the tables exist, belong to this version, and may be used.
     *
     * @throws StorageSchemaException if not
     */
    public void validate() {
        List<String> missingPrivileges = transaction.call(Clients.withClient(jdbcClient -> {
            requireTables(jdbcClient);
            features.forEach(feature -> requireColumns(jdbcClient, feature));
            return jdbcClient
                    .sql(schema.resolve(SchemaSql.missingPrivileges(features)))
                    .query(String.class)
                    .list();
        }));
        if (!missingPrivileges.isEmpty()) {
            throw new StorageSchemaException(
                    "The application's role has no right to " + String.join(", ", missingPrivileges)
                            + " on the idempotency tables in schema '" + schema.name() + "'.",
                    "Run as their owner: " + String.join("; ", grantsTo(ROLE)) + ".",
                    null);
        }
    }

    /** Names the missing tables of all features at once, because an administrator runs all of the files at once. */
    private void requireTables(JdbcClient jdbcClient) {
        Map<StorageFeature, List<String>> missing = new LinkedHashMap<>();
        for (StorageFeature feature : features) {
            List<String> tables = usable(
                    feature,
                    () -> jdbcClient
                            .sql(schema.resolve(SchemaSql.missingTables(feature)))
                            .query(String.class)
                            .list());
            if (!tables.isEmpty()) {
                missing.put(feature, tables);
            }
        }
        if (!missing.isEmpty()) {
            throw unusable(
                    missing.entrySet().stream()
                            .map(tables -> "%s (%s)"
                                    .formatted(
                                            String.join(", ", tables.getValue()),
                                            tables.getKey().name()))
                            .collect(Collectors.joining(", ", "there is no ", "")),
                    missing.keySet(),
                    null);
        }
    }

    private void requireColumns(JdbcClient jdbcClient, StorageFeature feature) {
        for (StorageTable table : feature.tables()) {
            usable(feature, () -> {
                if (table.access() == Access.ARCHIVE) {
                    return jdbcClient
                            .sql(schema.resolve(
                                    SchemaSql.ARCHIVE_NOTHING.formatted(table.columns(), table.archivedTable())))
                            .update();
                }
                return jdbcClient
                        .sql(schema.resolve(SchemaSql.READ_NOTHING.formatted(table.columns(), table.name())))
                        .query()
                        .listOfRows()
                        .size();
            });
        }
    }

    private <T> T usable(StorageFeature feature, Supplier<T> query) {
        try {
            return query.get();
        } catch (DataAccessException failure) {
            throw unusable(SqlFailures.reason(failure), List.of(feature), failure);
        }
    }

    private StorageSchemaException unusable(
            String reason, Collection<StorageFeature> unusable, @Nullable Exception cause) {
        return new StorageSchemaException(
                "The idempotency tables in schema '" + schema.name() + "' cannot be used: " + reason + ".",
                "Run the migrations " + filesOf(unusable)
                        + " and then as their owner: " + String.join("; ", grantsTo(ROLE))
                        + ". With idempotency.migrate = true the start runs those that its history does not have.",
                cause);
    }

    private static String filesOf(Collection<StorageFeature> features) {
        return features.stream()
                .flatMap(feature -> feature.migrationFiles().stream())
                .collect(Collectors.joining(", "));
    }

    /**
     * Finds tables that are missing or may not be used. Cheaper than {@link #validate}, because it does not check the columns.
     *
     * @throws DataAccessException if the query fails or takes longer than five seconds
     */
    public List<String> findProblems() {
        return boundedTransaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(SchemaSql.unusable(features)))
                .query(String.class)
                .list());
    }

    private List<String> grantsTo(String role) {
        return Stream.concat(
                        Stream.of(SchemaSql.GRANT_SCHEMA),
                        features.stream()
                                .flatMap(feature -> feature.tables().stream())
                                .map(SchemaSql::grant))
                .map(grant -> schema.resolve(grant) + role)
                .toList();
    }
}
