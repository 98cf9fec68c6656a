package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.AutoSave;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs the library's own transactions, always on another connection than the application's open transaction. Nothing else
 * in the library opens a transaction besides the application's.
 *
 * <p>Spring binds the connection of a JPA transaction to the application's DataSource without marking it as one of an active
 * transaction. A JDBC transaction manager over that DataSource takes it for a connection without a transaction, and its COMMIT
 * ends the application's transaction. So the DataSource is wrapped: only this class binds a connection to the wrapper.
 */
public final class RequiresNewTransaction {

    /**
     * Overrides the defaults of pool and role for one transaction, and has to be its first statement. {@code setTransactionIsolation} would
     * ask for the present level first, and change the session, which a pooler may give to others.
     */
    public static final String READ_COMMITTED = "set transaction isolation level read committed";

    private final DataSource dataSource;

    private final TransactionTemplate template;

    /** Begins transactions whose messages set their isolation level. Spring would ask for the present one first. */
    private final TransactionTemplate ofMessages;

    private RequiresNewTransaction(DataSource dataSource, int isolationLevel) {
        this.dataSource = new DelegatingDataSource(dataSource);
        Manager manager = new Manager(this.dataSource);
        this.template = new TransactionTemplate(manager, definition(isolationLevel));
        this.ofMessages = new TransactionTemplate(manager, definition(TransactionDefinition.ISOLATION_DEFAULT));
    }

    private static TransactionDefinition definition(int isolationLevel) {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setIsolationLevel(isolationLevel);
        return definition;
    }

    /** Creates one with the default isolation level of the connections. */
    public static RequiresNewTransaction on(DataSource dataSource) {
        return new RequiresNewTransaction(dataSource, TransactionDefinition.ISOLATION_DEFAULT);
    }

    /** Creates one with the isolation level READ COMMITTED. */
    public static RequiresNewTransaction readCommittedOn(DataSource dataSource) {
        return new RequiresNewTransaction(dataSource, TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    /** Returns whether this thread may hold a connection. If threads wait for a second connection while they hold a first one, they may exhaust the pool and never get one. */
    public static boolean mayHoldConnection() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.getResourceMap().isEmpty();
    }

    /**
     * Works in a transaction and commits it.
     *
     * @param work the work; an exception rolls the transaction back
     */
    public <T extends @Nullable Object> T call(Function<Connection, T> work) {
        return callAndKeepIf(work, result -> true);
    }

    /**
     * Works in a transaction and commits it only for some results: a transaction that PostgreSQL has aborted cannot commit.
     *
     * @param work the work; an exception rolls the transaction back
     * @param isKept returns whether to commit, for a result
     */
    public <T extends @Nullable Object> T callAndKeepIf(Function<Connection, T> work, Predicate<T> isKept) {
        return template.execute(status -> {
            T result = onConnection(work);
            rollBackUnless(isKept.test(result), status);
            return result;
        });
    }

    /**
     * Sends messages that are transactions of their own, with {@link #READ_COMMITTED} and the COMMIT in them. What such a message leaves
     * open is rolled back.
     *
     * @param messages sends them; an exception rolls back what is open
     */
    public <T extends @Nullable Object> T send(Function<Connection, T> messages) {
        return ofMessages.execute(status -> {
            status.setRollbackOnly();
            return onConnection(withoutSavepoints(messages));
        });
    }

    /**
     * Sends one message that ends with its COMMIT.
     *
     * @param message sends it; an exception rolls back
     * @throws TransactionSystemException if the message was not answered, so that it may be committed
     */
    public <T extends @Nullable Object> T commit(Function<Connection, T> message) {
        return send(connection -> FailedCommit.commitWith(connection, () -> message.apply(connection)));
    }

    /** The driver's savepoints keep nothing here, and PostgreSQL refuses {@link #READ_COMMITTED} after one. */
    private static <T extends @Nullable Object> Function<Connection, T> withoutSavepoints(
            Function<Connection, T> work) {
        return connection -> {
            if (!(CommitResult.driverOf(connection) instanceof PGConnection driver)
                    || driver.getAutosave() == AutoSave.NEVER) {
                return work.apply(connection);
            }
            AutoSave before = driver.getAutosave();
            driver.setAutosave(AutoSave.NEVER);
            try {
                return work.apply(connection);
            } finally {
                driver.setAutosave(before);
            }
        };
    }

    private <T extends @Nullable Object> T onConnection(Function<Connection, T> work) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return work.apply(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    private static void rollBackUnless(boolean isKept, TransactionStatus status) {
        if (!isKept) {
            status.setRollbackOnly();
        }
    }

    /**
     * Throws a TransactionSystemException for every failure of a COMMIT. After any other exception Spring rolls back, and the failure of
     * that would hide the one of the COMMIT. What is rolled back stays so, even if the rollback fails.
     */
    @SuppressWarnings("serial") // The superclass is serializable for historical reasons only.
    private static final class Manager extends DataSourceTransactionManager {

        Manager(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            Connection connection = connectionOf(status);
            try {
                connection.commit();
            } catch (Throwable failure) {
                throw new TransactionSystemException("COMMIT failed", FailedCommit.rollBack(connection, failure));
            }
        }

        /**
         * A failed rollback is made again, because the clean-up commits what is open when it resets auto-commit. On a lost connection
         * there is nothing to roll back, and the failure of the attempt would hide the one that was first.
         */
        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            if (isLost(connectionOf(status))) {
                return;
            }
            try {
                super.doRollback(status);
            } catch (Throwable failure) {
                FailedCommit.rollBackUnsent(connectionOf(status));
                throw failure;
            }
        }

        private static boolean isLost(Connection connection) {
            try {
                Connection driver = CommitResult.driverOf(connection);
                return connection.isClosed() || (driver != null && driver.isClosed());
            } catch (SQLException failure) {
                return false;
            }
        }

        private static Connection connectionOf(DefaultTransactionStatus status) {
            return ((JdbcTransactionObjectSupport) status.getTransaction())
                    .getConnectionHolder()
                    .getConnection();
        }
    }
}
