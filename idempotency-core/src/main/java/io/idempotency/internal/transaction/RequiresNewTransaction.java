package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A transaction of the library's own, always on another connection than that of the transaction that the application has
 * open. Internal: nothing else in the library opens a transaction beside the application's.
 *
 * <p>Spring binds the connection of a JPA transaction under the application's DataSource without marking it as one of an
 * active transaction. A JDBC transaction manager over that DataSource takes it for a connection without a transaction, and
 * its COMMIT ends the application's transaction. Hence the wrapper: nothing is ever bound under it but by this class.
 */
public final class RequiresNewTransaction {

    private final DataSource dataSource;

    private final TransactionTemplate template;

    private RequiresNewTransaction(DataSource dataSource, int isolationLevel) {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setIsolationLevel(isolationLevel);
        this.dataSource = new DelegatingDataSource(dataSource);
        this.template = new TransactionTemplate(new JdbcTransactionManager(this.dataSource), definition);
    }

    /**
     * Creates one of the isolation level that connections have by themselves.
     *
     * @param dataSource where connections are taken from
     * @return safe for use by many threads
     */
    public static RequiresNewTransaction on(DataSource dataSource) {
        return new RequiresNewTransaction(dataSource, TransactionDefinition.ISOLATION_DEFAULT);
    }

    /**
     * Creates one that is READ COMMITTED whatever the default of connections is.
     *
     * @param dataSource where connections are taken from
     * @return safe for use by many threads
     */
    public static RequiresNewTransaction readCommittedOn(DataSource dataSource) {
        return new RequiresNewTransaction(dataSource, TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    /**
     * Works in a transaction, and commits it.
     *
     * @param <T> the result
     * @param work what is done; an exception rolls the transaction back
     * @return what the work gave
     */
    public <T extends @Nullable Object> T call(Function<Connection, T> work) {
        return callAndKeepIf(work, result -> true);
    }

    /**
     * Works in a transaction, and commits it only for some results: a transaction that PostgreSQL has aborted cannot commit.
     *
     * @param <T> the result
     * @param work what is done; an exception rolls the transaction back
     * @param isKept whether the transaction is committed
     * @return what the work gave
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
}
