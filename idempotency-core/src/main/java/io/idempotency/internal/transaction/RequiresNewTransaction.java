package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
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

    private final DataSource dataSource;

    private final TransactionTemplate template;

    private RequiresNewTransaction(DataSource dataSource, int isolationLevel) {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setIsolationLevel(isolationLevel);
        this.dataSource = new DelegatingDataSource(dataSource);
        this.template = new TransactionTemplate(new Manager(this.dataSource), definition);
    }

    /** Creates one with the default isolation level of the connections. */
    public static RequiresNewTransaction on(DataSource dataSource) {
        return new RequiresNewTransaction(dataSource, TransactionDefinition.ISOLATION_DEFAULT);
    }

    /** Creates one with the isolation level READ COMMITTED. */
    public static RequiresNewTransaction readCommittedOn(DataSource dataSource) {
        return new RequiresNewTransaction(dataSource, TransactionDefinition.ISOLATION_READ_COMMITTED);
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

        /** A failed rollback is made again, because the clean-up commits what is open when it resets auto-commit. */
        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            try {
                super.doRollback(status);
            } catch (Throwable failure) {
                FailedCommit.rollBackUnsent(connectionOf(status));
                throw failure;
            }
        }

        private static Connection connectionOf(DefaultTransactionStatus status) {
            return ((JdbcTransactionObjectSupport) status.getTransaction())
                    .getConnectionHolder()
                    .getConnection();
        }
    }
}
