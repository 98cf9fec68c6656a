package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.retention.PartitionPeriod;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/** The schema as an object of the database: what makes room for the migrations, and what checks their result. */
public final class StorageSchema {

    private static final int OLDEST_SERVER = 14;

    private static final String POSTGRESQL = "PostgreSQL";

    private static final String IN_TEST_SLICES =
            " A test slice such as @JdbcTest or @DataJpaTest puts an embedded database"
                    + " in the place of the DataSource: keep it with @AutoConfigureTestDatabase(replace = Replace.NONE), or set"
                    + " idempotency.enabled = false where the test calls no idempotent method.";

    private static final String SEARCH_PATH = "select current_setting('search_path')";

    /** Flyway's own statements would find what others have planted in the schema public. */
    private static final String SEARCH_NOTHING_ELSE = "set local search_path = pg_catalog, pg_temp";

    /** For the session, because Flyway sets it so. */
    private static final String SEARCH_AGAIN = "select set_config('search_path', cast(? as text), false)";

    private static final String EXISTS =
            "select exists (select 1 from pg_catalog.pg_namespace where nspname = cast(? as text))";

    private static final String CREATE = "create schema {schema}";

    /** All of them, with the columns that this version knows. */
    private static final Map<String, String> COLUMNS = columns();

    private static final String TABLES = COLUMNS.keySet().stream()
            .collect(Collectors.joining("', '", "pg_catalog.unnest(array['", "']) as t(name)"));

    /** Read by every role that stores messages, and written by their owner. */
    private static final Map<String, String> READ_ONLY_COLUMNS = readOnlyColumns();

    private static final String ALL = Stream.concat(
                    COLUMNS.keySet().stream().map("('%s', true)"::formatted),
                    READ_ONLY_COLUMNS.keySet().stream().map("('%s', false)"::formatted))
            .collect(Collectors.joining(", ", "(values ", ") as t (name, written)"));

    /** Flyway would try for ten seconds to create what it may not create. */
    private static final String MAY_NOT_CREATE_TABLES = """
            select not has_schema_privilege(cast(? as text), 'CREATE') and exists (
                select 1
                from %s
                where to_regclass('{schema}.' || t.name) is null)""".formatted(ALL);

    /** Fails, and says why, if the table is not there, is older than this version, or must not be read. */
    private static final String READ_NOTHING = "select %s from {schema}.%s where false";

    private static final String MISSING_PRIVILEGES = """
            select distinct p.name
            from pg_catalog.unnest(array['INSERT', 'UPDATE', 'DELETE']) as p(name), %s
            where not has_table_privilege('{schema}.' || t.name, p.name)
            order by p.name""".formatted(TABLES);

    /** Fails, and says why, if rows of the one cannot be moved to the other. */
    private static final String ARCHIVE_NOTHING = """
            insert into {schema}.%2$s_archive (%1$s, archived_at)
            select %1$s, clock_timestamp()
            from {schema}.%2$s
            where false""";

    /** In one query, because health is asked for every few seconds. */
    private static final String UNUSABLE = """
            select t.name || coalesce(' may not be used: ' || p.missing, ' does not exist')
            from (select t.name, t.written, to_regclass('{schema}.' || t.name) as id from %s) as t
            left join lateral (
                select string_agg(p.name, ', ' order by p.name) as missing, count(*) as number
                from pg_catalog.unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as p (name)
                where (t.written or p.name = 'SELECT') and not has_table_privilege(t.id::oid, p.name)) as p on true
            where t.id is null or p.number > 0
            order by t.name""".formatted(ALL);

    private static final String CURRENT_ROLE = "select quote_ident(current_user::text)";

    private static final String GRANT_SCHEMA = "grant usage on schema {schema} to ";

    private static final String GRANT_READING = "grant select on {schema}.%s to ";

    private static final String GRANT_TABLE = "grant select, insert, update, delete on {schema}.%s to ";

    /** Nothing is ever read or changed there. */
    private static final String GRANT_ARCHIVE = "grant insert on {schema}.%s_archive to ";

    private final Schema schema;

    private final DataSource dataSource;

    private final RequiresNewTransaction application;

    private final BoundedTransaction operator;

    StorageSchema(Schema schema, DataSource dataSource) {
        this.schema = schema;
        this.dataSource = dataSource;
        this.application = RequiresNewTransaction.on(dataSource);
        this.operator = new BoundedTransaction(dataSource);
    }

    /**
     * Checks that the server is one that the statements of this library are made for.
     *
     * @throws StorageSchemaException if it is not PostgreSQL 14 or later
     * @throws MetaDataAccessException if the database cannot be asked
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
     * Creates the schema if there is none, migrates its tables, and lets the application's role use them. All of it is
     * one transaction under one lock: instances that start at once take turns, and a failure leaves nothing behind.
     *
     * @param owner the DataSource that migrates
     * @param migrations brings the tables up to date, on the connection of that transaction, which it must not end
     * @throws StorageSchemaException if the role that migrates cannot do so
     */
    public void migrate(DataSource owner, Consumer<Connection> migrations) {
        try {
            List<String> grants = owner == dataSource ? List.of() : grantsTo(applicationRole());
            RequiresNewTransaction.on(owner).call(connection -> {
                JdbcClient jdbcClient = Clients.on(connection);
                jdbcClient.sql(Clients.READ_COMMITTED).update();
                jdbcClient.sql(Schema.LOCK).query().singleValue();
                String searchPath =
                        jdbcClient.sql(SEARCH_PATH).query(String.class).single();
                jdbcClient.sql(SEARCH_NOTHING_ELSE).update();
                createIfMissing(jdbcClient);
                migrations.accept(connection);
                grants.forEach(grant -> jdbcClient.sql(grant).update());
                jdbcClient
                        .sql(SEARCH_AGAIN)
                        .param(searchPath)
                        .query(String.class)
                        .single();
                return grants;
            });
        } catch (RuntimeException failure) {
            throw new StorageSchemaException(
                    "The idempotency tables in schema '" + schema.name() + "' could not be migrated: " + reason(failure)
                            + ".",
                    "Name a role that may create the schema and its tables with idempotency.migration.user, or set"
                            + " idempotency.migrate = false and run the migrations in " + PostgresStorage.MIGRATIONS
                            + " yourself.",
                    failure);
        }
    }

    /**
     * Installs the functions for callers that are not Java and the views for operators, or replaces older ones. If the role
     * may not do so, or the application has something else of such a name, a warning says so, and nothing else of the
     * transaction is lost.
     *
     * @param connection with the open transaction of the migrations, which it does not end
     * @throws DataAccessException if PostgreSQL reports anything else
     */
    public void installFunctions(Connection connection) {
        new SqlFunctions(schema).install(connection);
    }

    /** Asks first, because creating what is there already takes the right to create it. */
    private void createIfMissing(JdbcClient jdbcClient) {
        if (!isTrue(jdbcClient, EXISTS)) {
            jdbcClient.sql(schema.resolve(CREATE)).update();
        } else if (isTrue(jdbcClient, MAY_NOT_CREATE_TABLES)) {
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
        return application.call(Clients.withClient(
                jdbcClient -> jdbcClient.sql(CURRENT_ROLE).query(String.class).single()));
    }

    /**
     * Puts handled messages in partitions, if there are none: they stay where they are, and an operator has to decide when.
     *
     * @param owner the DataSource that migrates
     * @param period how much time a partition is for
     * @return {@code false} if the table holds rows, somebody was using it, or it would lose what others have made for it, which
     *     a warning says; it is as it was then
     * @throws StorageSchemaException if the role that migrates cannot do so
     */
    public boolean partitionIfEmpty(DataSource owner, PartitionPeriod period) {
        try {
            return new MessagePartitions(schema).partitionIfEmpty(owner, period);
        } catch (DataAccessException failure) {
            throw new StorageSchemaException(
                    "The table processed_message in schema '" + schema.name() + "' could not be put in partitions: "
                            + reason(failure) + ".",
                    "Name the owner of the tables with idempotency.migration.user, or set"
                            + " idempotency.storage.processed-messages = rows.",
                    failure);
        }
    }

    /**
     * Asks the database, whatever was configured.
     *
     * @return whether handled messages are in partitions
     */
    public boolean isPartitioned() {
        return operator.query(new MessagePartitions(schema)::exist);
    }

    /**
     * Checks that the tables are there, are those of this version, and may be used.
     *
     * @throws StorageSchemaException if not
     */
    public void validate() {
        List<String> missingPrivileges = check(jdbcClient -> {
            Stream.of(COLUMNS, READ_ONLY_COLUMNS)
                    .forEach(known -> known.forEach((table, columns) -> jdbcClient
                            .sql(schema.resolve(READ_NOTHING.formatted(columns, table)))
                            .query()
                            .listOfRows()));
            return jdbcClient
                    .sql(schema.resolve(MISSING_PRIVILEGES))
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
        check(jdbcClient -> PostgresStorage.EXPIRING_TABLES.keySet().stream()
                .mapToInt(table -> jdbcClient
                        .sql(schema.resolve(ARCHIVE_NOTHING.formatted(columnsOf(table), table)))
                        .update())
                .sum());
    }

    private <T> T check(Function<JdbcClient, T> statements) {
        try {
            return application.call(Clients.withClient(statements));
        } catch (DataAccessException failure) {
            throw new StorageSchemaException(
                    "The idempotency tables in schema '" + schema.name() + "' cannot be used: " + reason(failure) + ".",
                    "Set idempotency.migrate = true, or run the migrations in " + PostgresStorage.MIGRATIONS
                            + " and then as their owner: " + String.join("; ", grantsTo("<role of the application>"))
                            + ".",
                    failure);
        }
    }

    /**
     * Looks for tables that are missing or may not be used; cheaper than {@link #validate}, and without the columns.
     *
     * @return what is wrong, a line a table; empty if nothing is
     * @throws DataAccessException if the database cannot be asked, or not within five seconds
     */
    public List<String> findProblems() {
        return operator.query(jdbcClient ->
                jdbcClient.sql(schema.resolve(UNUSABLE)).query(String.class).list());
    }

    private static String reason(RuntimeException failure) {
        String message = NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
        return message == null
                ? failure.toString()
                : message.lines().findFirst().orElse("").replaceFirst("[.:]$", "");
    }

    private List<String> grantsTo(String role) {
        return Stream.of(
                        Stream.of(GRANT_SCHEMA),
                        COLUMNS.keySet().stream().map(GRANT_TABLE::formatted),
                        READ_ONLY_COLUMNS.keySet().stream().map(GRANT_READING::formatted),
                        PostgresStorage.EXPIRING_TABLES.keySet().stream().map(GRANT_ARCHIVE::formatted))
                .flatMap(grants -> grants)
                .map(grant -> schema.resolve(grant) + role)
                .toList();
    }

    static String columnsOf(String table) {
        return Objects.requireNonNull(COLUMNS.get(table));
    }

    /** In the order in which they were made. */
    static Set<String> tables() {
        return COLUMNS.keySet();
    }

    private static Map<String, String> readOnlyColumns() {
        Map<String, String> columns = new LinkedHashMap<>();
        columns.put("processed_message_partition", "name, starts_at, ends_at, closed_at, expires_at");
        columns.put("processed_message_head", "open_from, open_until");
        columns.put("processed_message_earlier", "consumer, message_id");
        return columns;
    }

    private static Map<String, String> columns() {
        Map<String, String> columns = new LinkedHashMap<>();
        columns.put("idempotency_request", """
                request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
                result_ref_type, result_ref_id, response_body, failure_code, failure_message, claimed_by,
                claim_token, claimed_at, locked_until, attempt_count, created_at, updated_at, expires_at,
                response_expires_at""");
        columns.put("processed_message", """
                consumer, message_id, message_type, payload_hash, hash_version, processed_at, expires_at""");
        columns.put("message_failure", """
                consumer, message_id, message_type, attempt_count, failure_code, failure_message,
                first_failed_at, last_failed_at, expires_at""");
        columns.put("stream_position", "consumer, stream_id, last_version, updated_at");
        columns.put("outbox_event", """
                message_id, sequence, topic, message_type, ordering_key, lane, aggregate_type, aggregate_id,
                payload, headers, deduplication_key, idempotency_scope, caller, idempotency_key, status,
                attempt_count, last_error, created_at, due_at, next_attempt_at, sent_at, expires_at""");
        columns.put("purge_turn", "one_row, run_id, held_by, started_at, held_until");
        return columns;
    }
}
