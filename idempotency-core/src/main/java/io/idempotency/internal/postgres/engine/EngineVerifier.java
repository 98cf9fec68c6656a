package io.idempotency.internal.postgres.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.util.ClassUtils;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.schema.StorageFeature;

/** The check at start-up that the guarantee holds on the database: mostly two transactions that compete. Both are rolled back. */
public final class EngineVerifier {

    private static final Logger logger = LoggerFactory.getLogger(EngineVerifier.class);

    private static final String OTHERWISE =
            " Correct what the database reports. If it has nothing to do with the idempotency"
                    + " tables, set idempotency.verify-engine = false.";

    /** One of them is on the class path of every test, and on none of an application that is deployed. */
    private static final List<String> TEST_LIBRARIES =
            List.of("org.springframework.test.context.TestContext", "org.junit.platform.commons.JUnitException");

    /** The states of a prepared statement that exists already, or does not exist. */
    private static final Set<String> MIXED_UP_STATEMENTS = Set.of("42P05", "26000");

    private static final String FIX_STATEMENTS =
            "The pooler between the application and the server mixes up prepared statements, as PgBouncer does before 1.21 or with"
                    + " max_prepared_statements=0. Add prepareThreshold=0 to the JDBC URL.";

    /** They are known by their version(), because a trial would come after the migrations. Aurora PostgreSQL is PostgreSQL. */
    private static final List<LookAlike> LOOK_ALIKES = List.of(
            new LookAlike(
                    "CockroachDB",
                    "CockroachDB",
                    "Most of its versions have no advisory locks, or such that lock nothing: two relays send the same messages."),
            new LookAlike(
                    "YugabyteDB",
                    "-YB-",
                    "A claim may fail instead of waiting, and advisory locks lock nothing: two relays send the same messages."),
            new LookAlike(
                    "Aurora DSQL",
                    "DSQL",
                    "It compares transactions only at their COMMIT: a repeat would not wait, and its method run again."),
            new LookAlike(
                    "Amazon Redshift",
                    "Redshift",
                    "It does not enforce unique constraints: a call and its repeat would both take effect."));

    private final Schema schema;

    private final DataSource dataSource;

    private final List<StorageFeature> features;

    private final boolean isTest;

    public EngineVerifier(Schema schema, DataSource dataSource, List<StorageFeature> features) {
        this(schema, dataSource, features, TEST_LIBRARIES.stream().anyMatch(EngineVerifier::isPresent));
    }

    /** Servers of tests have no fsync, those of Testcontainers and of the library's test kit among them. */
    EngineVerifier(Schema schema, DataSource dataSource, List<StorageFeature> features, boolean isTest) {
        this.isTest = isTest;
        this.schema = schema;
        this.dataSource = dataSource;
        this.features = List.copyOf(features);
    }

    /**
     * Checks the server, before anything is created: it does not only resemble PostgreSQL, and its transactions can write.
     * Products that do not even call themselves PostgreSQL are left to {@code StorageSchema}.
     *
     * @throws IdempotencyStartupException if not
     */
    public void requireSuitableServer() {
        try (Connection connection = dataSource.getConnection();
                RolledBack rolledBack = new RolledBack(connection)) {
            if ("PostgreSQL".equals(connection.getMetaData().getDatabaseProductName())) {
                requireSuitableServer(Clients.on(rolledBack.connection()));
            }
        } catch (SQLException | RuntimeException failure) {
            throw refusal(
                    "The database of the idempotency tables cannot be queried in a transaction",
                    ClaimTrial.FIX_POOLER + OTHERWISE,
                    failure);
        }
    }

    private static boolean isPresent(String className) {
        return ClassUtils.isPresent(className, EngineVerifier.class.getClassLoader());
    }

    private void requireSuitableServer(JdbcClient jdbcClient) {
        String version = jdbcClient.sql("select version()").query(String.class).single();
        LOOK_ALIKES.forEach(
                engine -> require(
                        !version.contains(engine.mark),
                        "The idempotency tables cannot be kept in " + engine.product + " (" + version + "). "
                                + engine.consequence,
                        "Name the DataSource of a PostgreSQL database with idempotency.data-source: the one that holds what the"
                                + " idempotent methods change. Services that run PostgreSQL itself, such as Aurora PostgreSQL, will do."));
        require(
                isFalse(jdbcClient, "pg_is_in_recovery()"),
                "The database of the idempotency tables is a standby: no key can be claimed, and every call would fail.",
                "Connect the DataSource to the primary. If the JDBC URL names several servers, add targetServerType=primary"
                        + " to it.");
        require(
                isFalse(jdbcClient, "current_setting('transaction_read_only') = 'on'"),
                "The transactions of the application's DataSource are read-only (transaction_read_only = on). No key could be"
                        + " claimed, and every call would fail.",
                "Reset default_transaction_read_only of the role, the database, the server and the options of the JDBC URL, and"
                        + " the read-only setting of the pool (spring.datasource.hikari.read-only, if it is Spring Boot's). Or"
                        + " name another DataSource with idempotency.data-source.");
        require(
                isFalse(jdbcClient, "current_setting('session_replication_role') = 'replica'"),
                "The connections of the application's DataSource have session_replication_role = replica: no trigger fires and no"
                        + " foreign key is checked. Repeats of messages in earlier partitions would be handled again.",
                "Reset session_replication_role of the role, the database, the server and the options of the JDBC URL.");
        warnOfLostCommits(jdbcClient);
    }

    private void warnOfLostCommits(JdbcClient jdbcClient) {
        if (!isFalse(jdbcClient, "current_setting('synchronous_commit') = 'off'")) {
            logger.warn(
                    "The connections of the DataSource have synchronous_commit = off, with which a crash of the server loses"
                            + " transactions that were acknowledged. Transactions with a call, a message or a lock of the library are"
                            + " committed as with synchronous_commit = on.");
        }
        if (!isTest
                && !isFalse(jdbcClient, "'off' in (current_setting('fsync'), current_setting('full_page_writes'))")) {
            logger.warn(
                    "The server has fsync = off or full_page_writes = off: a crash of its machine may lose or corrupt all data,"
                            + " keys and effects alike. Switch both on, unless nothing of this database is needed after a crash.");
        }
    }

    private static boolean isFalse(JdbcClient jdbcClient, String condition) {
        return !jdbcClient.sql("select " + condition).query(Boolean.class).single();
    }

    /**
     * Checks the tables, which must exist: they hold their rows themselves, and a key and a lock belong to one transaction until
     * it ends. Without a second connection that is tried in one transaction only, and a warning is logged.
     *
     * @throws IdempotencyStartupException if not
     */
    public void verifyTables() {
        try (Connection first = dataSource.getConnection();
                RolledBack holder = new RolledBack(first)) {
            ClaimTrial trial = new ClaimTrial(holder.connection(), schema, UUID.randomUUID());
            new TableCatalog(schema, features).verify(Clients.on(first));
            trial.takeBoth();
            contest(trial);
        } catch (SQLException | RuntimeException failure) {
            // Such as one for certain callers, which real calls may pass.
            if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof SQLException refused
                    && String.valueOf(refused.getSQLState()).startsWith("23")) {
                logger.warn(
                        "It was not verified that a key is granted to one of two transactions, because a constraint of"
                                + " the table idempotency_request refuses the key that is tried: {}.",
                        SqlFailures.reason(failure));
                return;
            }
            throw refusal(
                    "A claim could not be tried in the idempotency tables in schema '" + schema.name() + "'",
                    OTHERWISE.strip(),
                    failure);
        }
    }

    private void contest(ClaimTrial trial) throws SQLException {
        try (Connection second = connectBeside(trial.connection())) {
            if (second == null) {
                logger.warn(
                        "The DataSource gave no second connection within a second, so it was not verified that a key is"
                                + " granted to one of two transactions. Let its pool, and a pooler between it and the server, have two"
                                + " connections or more, or set idempotency.verify-engine = false.");
                return;
            }
            try (RolledBack other = new RolledBack(second)) {
                new ClaimTrial(other.connection(), schema, trial.key()).contest(trial.connection());
            }
        }
    }

    /** Returns null if the DataSource gives no second connection within a second, when its pool may wait for thirty. */
    private @Nullable Connection connectBeside(Connection first) throws SQLException {
        SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("idempotency-verify-");
        executor.setDaemon(true);
        Callable<Connection> connect = dataSource::getConnection;
        CompletableFuture<Connection> connecting = executor.submitCompletable(connect);
        Connection second = connecting
                .copy()
                .completeOnTimeout(null, 1, TimeUnit.SECONDS)
                .exceptionally(refused -> null)
                .join();
        // A pooler gives a connection of its own at once, and one of the server only if the open transaction leaves it
        // one.
        if (second != null
                && second.unwrap(PGConnection.class) != first.unwrap(PGConnection.class)
                && second.isValid(1)) {
            return second;
        }
        CompletableFuture<Void> unused = connecting.thenAccept(JdbcUtils::closeConnection);
        return null;
    }

    static void require(boolean holds, String problem, String action) {
        if (!holds) {
            throw new IdempotencyStartupException(problem, action);
        }
    }

    private static IdempotencyStartupException refusal(String problem, String action, Exception failure) {
        if (failure instanceof IdempotencyStartupException refused) {
            return refused;
        }
        boolean isMixedUp = NestedExceptionUtils.getMostSpecificCause(failure) instanceof SQLException answer
                && answer.getSQLState() != null
                && MIXED_UP_STATEMENTS.contains(answer.getSQLState());
        return new IdempotencyStartupException(
                problem + ": " + SqlFailures.reason(failure) + ".", isMixedUp ? FIX_STATEMENTS : action, failure);
    }

    private record LookAlike(String product, String mark, String consequence) {}

    /** A transaction that is rolled back. The settings of its connection are restored. */
    private record RolledBack(Connection connection, boolean autoCommit, int networkTimeout) implements AutoCloseable {

        /** The timeout keeps the start from hanging on an engine that ignores statement_timeout. */
        RolledBack(Connection connection) throws SQLException {
            this(connection, connection.getAutoCommit(), connection.getNetworkTimeout());
            connection.setAutoCommit(false);
            connection.setNetworkTimeout(Runnable::run, 5_000);
        }

        @Override
        public void close() throws SQLException {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
                connection.setNetworkTimeout(Runnable::run, networkTimeout);
            }
        }
    }
}
