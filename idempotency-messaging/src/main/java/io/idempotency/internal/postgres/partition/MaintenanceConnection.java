package io.idempotency.internal.postgres.partition;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.TransactionLimits;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.SqlStates;

/**
 * The connection that runs partition DDL as the maintenance role, with a lock timeout, on one instance at a time. While a
 * session waits for the lock of a table, all later callers of the table wait, too, so the timeout must be short.
 */
final class MaintenanceConnection {

    /** See <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>. */
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private static final String LONGEST_STATEMENT = "'10min'";

    private static final String LONGEST_PAUSE = "'30s'";

    /** Keeps the role of the connection if no other is given. */
    private static final String ROLE_AND_LOCKS = """
            ,
            set_config('role', coalesce(?, current_setting('role')), {local}), set_config('lock_timeout', cast(? as text), {local})""";

    private static final String SETTINGS_OF_TRANSACTION =
            TransactionLimits.select(LONGEST_STATEMENT, LONGEST_PAUSE) + ROLE_AND_LOCKS.replace("{local}", "true");

    private static final String SETTINGS_OF_SESSION =
            TransactionLimits.selectForSession(LONGEST_STATEMENT, LONGEST_PAUSE)
                    + ROLE_AND_LOCKS.replace("{local}", "false");

    private static final String SAVE = """
            select name, current_setting(name, true) as value
            from pg_catalog.unnest(array['role', 'lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout',
                'transaction_timeout']) as name
            where current_setting(name, true) is not null""";

    private static final String RESTORE = "select set_config(cast(? as text), cast(? as text), false)";

    private static final String KEY = "('{schema}.processed_message_partition'::regclass::oid::integer, 0)";

    private static final String TRY_LOCK_IN_TRANSACTION = "select pg_try_advisory_xact_lock" + KEY;

    /** Locks for the session, for statements that cannot run in a transaction. */
    private static final String TRY_LOCK = "select pg_try_advisory_lock" + KEY;

    private static final String UNLOCK = "select pg_advisory_unlock" + KEY;

    private final DataSource dataSource;

    private final RequiresNewTransaction transaction;

    private final @Nullable String role;

    private final String tryLockInTransaction;

    private final String tryLock;

    private final String unlock;

    MaintenanceConnection(Schema schema, DataSource dataSource, @Nullable String role) {
        this.dataSource = dataSource;
        this.transaction = RequiresNewTransaction.on(dataSource);
        this.role = role;
        this.tryLockInTransaction = schema.resolve(TRY_LOCK_IN_TRANSACTION);
        this.tryLock = schema.resolve(TRY_LOCK);
        this.unlock = schema.resolve(UNLOCK);
    }

    /** Queries without the lock, because nothing is changed. */
    <T> T query(Function<JdbcClient, T> query) {
        return transaction.call(Clients.withClient(jdbcClient -> {
            jdbcClient.sql(Clients.READ_COMMITTED).update();
            return query.apply(jdbcClient);
        }));
    }

    /**
     * Changes partitions in one transaction.
     *
     * @param work the change, which returns whether everything is done
     * @return its result; {@code true} also if another instance maintains partitions, {@code false} if a lock was not available
     */
    boolean change(Duration lockTimeout, Predicate<JdbcClient> work) {
        return unlessLocked(() -> transaction.call(Clients.withClient(jdbcClient -> {
            jdbcClient.sql(Clients.READ_COMMITTED).update();
            settings(jdbcClient, SETTINGS_OF_TRANSACTION, lockTimeout);
            return !isTrue(jdbcClient, tryLockInTransaction) || work.test(jdbcClient);
        })));
    }

    /**
     * Changes partitions by statements that PostgreSQL does not run in a transaction.
     *
     * @param work the change, which returns whether everything is done
     * @return its result; {@code true} also if another instance maintains partitions, {@code false} if a lock was not available
     */
    boolean changeOutsideOfTransactions(Duration lockTimeout, Predicate<JdbcClient> work) {
        return unlessLocked(() -> {
            try (Connection connection = dataSource.getConnection()) {
                boolean autoCommit = connection.getAutoCommit();
                connection.setAutoCommit(true);
                try {
                    return inSession(connection, lockTimeout, work);
                } finally {
                    if (!connection.isClosed()) {
                        connection.setAutoCommit(autoCommit);
                    }
                }
            } catch (SQLException failure) {
                throw SqlFailures.translate("maintain partitions", null, failure);
            }
        });
    }

    private boolean inSession(Connection connection, Duration lockTimeout, Predicate<JdbcClient> work)
            throws SQLException {
        JdbcClient jdbcClient = Clients.on(connection);
        List<Setting> settings = jdbcClient.sql(SAVE).query(Setting.class).list();
        try {
            settings(jdbcClient, SETTINGS_OF_SESSION, lockTimeout);
            if (!isTrue(jdbcClient, tryLock)) {
                return true;
            }
            try {
                return work.test(jdbcClient);
            } finally {
                isTrue(jdbcClient, unlock);
            }
        } finally {
            if (!restore(jdbcClient, settings)) {
                // The pool must not hand out a connection with another role or with the lock.
                connection.abort(Runnable::run);
            }
        }
    }

    private static boolean restore(JdbcClient jdbcClient, List<Setting> settings) {
        try {
            settings.forEach(setting -> jdbcClient
                    .sql(RESTORE)
                    .params(setting.name(), setting.value())
                    .query()
                    .singleRow());
            return true;
        } catch (DataAccessException broken) {
            return false;
        }
    }

    private void settings(JdbcClient jdbcClient, String sql, Duration lockTimeout) {
        jdbcClient
                .sql(sql)
                .param(role)
                .param(Long.toString(lockTimeout.toMillis()))
                .query()
                .singleRow();
    }

    private static boolean isTrue(JdbcClient jdbcClient, String sql) {
        return jdbcClient.sql(sql).query(Boolean.class).single();
    }

    private static boolean unlessLocked(BooleanSupplier work) {
        try {
            return work.getAsBoolean();
        } catch (DataAccessException failure) {
            if (isLockNotAvailable(failure)) {
                return false;
            }
            throw failure;
        }
    }

    static boolean isLockNotAvailable(DataAccessException failure) {
        return hasState(failure, LOCK_NOT_AVAILABLE);
    }

    static boolean hasState(DataAccessException failure, String sqlState) {
        return sqlState.equals(SqlStates.of(failure));
    }

    record Setting(String name, String value) {}
}
