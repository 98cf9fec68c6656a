package io.idempotency.internal.postgres.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcUtils;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;

/**
 * The check at start-up that the guarantee holds on the database: the engine is asked for its name, the catalogs for the tables,
 * and a key is claimed on two connections. Nothing is committed.
 */
public final class EngineVerifier {

    private static final Logger logger = LoggerFactory.getLogger(EngineVerifier.class);

    private static final String POSTGRESQL = "PostgreSQL";

    /** A pool without a second connection would let the start wait for its own timeout, often 30 seconds. */
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(1);

    /** See <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>. */
    private static final String INTEGRITY_VIOLATION = "23";

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final String OTHERWISE =
            "Correct what the database reports. If it has nothing to do with the idempotency tables, set"
                    + " idempotency.verify-engine = false.";

    private final Schema schema;

    private final DataSource dataSource;

    /**
     * Creates the object. Nothing is read or written yet.
     *
     * @param schema the name of the schema
     * @param dataSource the DataSource of the application
     */
    public EngineVerifier(Schema schema, DataSource dataSource) {
        this.schema = schema;
        this.dataSource = dataSource;
    }

    /**
     * Checks the server, before anything is created: it is no engine that only resembles PostgreSQL, and its transactions can
     * write. Products that do not even call themselves PostgreSQL are left to {@code StorageSchema}.
     *
     * @throws IdempotencyStartupException if not
     */
    public void requireSuitableServer() {
        try (RolledBackConnection rolledBack = new RolledBackConnection(dataSource.getConnection())) {
            Connection connection = rolledBack.connection();
            if (POSTGRESQL.equals(connection.getMetaData().getDatabaseProductName())) {
                JdbcClient jdbcClient = Clients.on(connection);
                requireKnownEngine(jdbcClient);
                requireWritable(jdbcClient);
            }
        } catch (IdempotencyStartupException refused) {
            throw refused;
        } catch (SQLException | RuntimeException failure) {
            throw new IdempotencyStartupException(
                    "The database of the idempotency tables cannot be queried in a transaction: " + reason(failure)
                            + ".",
                    "If a pooler such as PgBouncer is between the application and the server, set its pool_mode to transaction"
                            + " or session. " + OTHERWISE,
                    failure);
        }
    }

    private static void requireKnownEngine(JdbcClient jdbcClient) {
        String version = jdbcClient.sql(EngineSql.VERSION).query(String.class).single();
        RefusedEngine.of(version).ifPresent(engine -> {
            throw engine.refuse(version);
        });
    }

    private static void requireWritable(JdbcClient jdbcClient) {
        if (isTrue(jdbcClient, EngineSql.IS_STANDBY)) {
            throw new IdempotencyStartupException(
                    "The database of the idempotency tables is a standby, which can only be read. No key could be claimed, and"
                            + " every call would fail.",
                    "Connect the DataSource to the primary. If the JDBC URL names several servers, add"
                            + " targetServerType=primary to it.");
        }
        if (isTrue(jdbcClient, EngineSql.IS_READ_ONLY)) {
            throw new IdempotencyStartupException(
                    "The transactions of the application's DataSource are read-only (transaction_read_only = on). No key could"
                            + " be claimed, and every call would fail.",
                    "Reset default_transaction_read_only of the role, the database, the server and the options of the JDBC"
                            + " URL, and the read-only setting of the pool (spring.datasource.hikari.read-only, if it is Spring"
                            + " Boot's). Or name another DataSource with idempotency.data-source.");
        }
    }

    private static boolean isTrue(JdbcClient jdbcClient, String condition) {
        return jdbcClient.sql(condition).query(Boolean.class).single();
    }

    /**
     * Checks the tables, which must exist: they are tables with their unique indexes that hold their rows themselves, and a key
     * and a lock belong to one transaction until it ends. Without a second connection that is not tried between two
     * transactions, and a warning is logged.
     *
     * @throws IdempotencyStartupException if not
     */
    public void verifyTables() {
        try (RolledBackConnection holder = new RolledBackConnection(dataSource.getConnection())) {
            new TableCatalog(schema).verify(Clients.on(holder.connection()));
            Connection second = connectBeside(holder.connection());
            ClaimTrial trial = new ClaimTrial(schema);
            if (second == null) {
                warnOfMissingConnection();
                trial.takeOn(holder);
                return;
            }
            try (RolledBackConnection other = new RolledBackConnection(second)) {
                trial.takeOn(holder);
                trial.contestOn(other, holder);
            }
        } catch (IdempotencyStartupException refused) {
            throw refused;
        } catch (SQLException | RuntimeException failure) {
            if (isRefusedByTheTable(failure)) {
                logger.warn(
                        "It was not verified that a key is granted to one of two transactions, because a constraint or a policy of"
                                + " the table idempotency_request refuses the key that is tried: {}.",
                        reason(failure));
                return;
            }
            throw new IdempotencyStartupException(
                    "A claim could not be tried in the idempotency tables in schema '" + schema.name() + "': "
                            + reason(failure) + ".",
                    OTHERWISE,
                    failure);
        }
    }

    private static void warnOfMissingConnection() {
        logger.warn(
                "The DataSource gave no second connection within {} ms, so it was not verified that a key is granted to one of"
                        + " two transactions. Let its pool, and a pooler between it and the server, have two connections or more,"
                        + " or set idempotency.verify-engine = false.",
                LONGEST_CONNECT.toMillis());
    }

    /** Returns null if the DataSource gives no second connection, or the same one again. */
    private @Nullable Connection connectBeside(Connection first) throws SQLException {
        SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("idempotency-verify-");
        executor.setDaemon(true);
        Callable<Connection> connect = this::connectAndAsk;
        CompletableFuture<Connection> connecting = executor.submitCompletable(connect);
        try {
            Connection second = connecting.get(LONGEST_CONNECT.toMillis(), TimeUnit.MILLISECONDS);
            if (second.unwrap(PGConnection.class) == first.unwrap(PGConnection.class)) {
                return null;
            }
            return second;
        } catch (ExecutionException refused) {
            return null;
        } catch (TimeoutException | InterruptedException tooLate) {
            CompletableFuture<Void> unused = connecting.thenAccept(JdbcUtils::closeConnection);
            if (tooLate instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return null;
        }
    }

    /** Asks something, because a pooler gives a connection of its own at once, and one of the server later. */
    private Connection connectAndAsk() throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            Clients.on(connection)
                    .sql(EngineSql.IS_STANDBY)
                    .query(Boolean.class)
                    .single();
            return connection;
        } catch (RuntimeException | Error failure) {
            JdbcUtils.closeConnection(connection);
            throw failure;
        }
    }

    /** Such as a policy for rows of certain callers: those of real calls may pass it. */
    private static boolean isRefusedByTheTable(Exception failure) {
        return NestedExceptionUtils.getMostSpecificCause(failure) instanceof SQLException refused
                && refused.getSQLState() != null
                && (refused.getSQLState().startsWith(INTEGRITY_VIOLATION)
                        || refused.getSQLState().equals(INSUFFICIENT_PRIVILEGE));
    }

    private static String reason(Exception failure) {
        String message = NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
        return message == null
                ? failure.toString()
                : message.lines().findFirst().orElse("").replaceFirst("[.:]$", "");
    }
}
