package io.idempotency.execution;

import java.sql.Connection;
import java.util.function.Function;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction of the library's own, apart from the method's: for leases, and for failures after a rollback. */
final class ShortTransaction {

    private final DataSource dataSource;

    private final TransactionTemplate template;

    ShortTransaction(DataSource dataSource) {
        this.dataSource = dataSource;
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        this.template = new TransactionTemplate(new JdbcTransactionManager(dataSource), definition);
    }

    <T extends @Nullable Object> T call(Function<Connection, T> work) {
        return callAndKeepIf(work, result -> true);
    }

    /** Commits only what is worth it: a transaction that PostgreSQL has aborted cannot commit. */
    <T extends @Nullable Object> T callAndKeepIf(Function<Connection, T> work, Function<T, Boolean> keep) {
        return template.execute(status -> inTransaction(status, work, keep));
    }

    private <T extends @Nullable Object> T inTransaction(
            TransactionStatus status, Function<Connection, T> work, Function<T, Boolean> keep) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            T result = work.apply(connection);
            if (!keep.apply(result)) {
                status.setRollbackOnly();
            }
            return result;
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
