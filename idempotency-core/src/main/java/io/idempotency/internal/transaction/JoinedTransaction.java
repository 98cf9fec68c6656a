package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.time.Duration;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.DefaultTransactionStatus;

import io.idempotency.Intent;
import io.idempotency.TransactionMismatchException;

/**
 * The open transaction of a call, known to be one on the DataSource of the idempotency tables.
 *
 * @param status of the transaction as its manager sees it
 * @param holder of its connection; tells it from other transactions of the thread
 * @param dataSource under which the holder is bound; perhaps a wrapper of the one that was configured, or its target
 */
public record JoinedTransaction(DefaultTransactionStatus status, ConnectionHolder holder, DataSource dataSource) {

    /** Hands out the transaction's connection, and dooms the transaction with every exception. */
    public @Nullable Object withConnection(Intent intent, ConnectionWork work) throws Throwable {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            if (JoinedTransactions.commitsByItself(connection)) {
                throw new TransactionMismatchException(
                        intent,
                        "the connection of its transaction is in auto-commit mode, so that claim and effect would be"
                                + " committed apart. Remove hibernate.connection.provider_disables_autocommit, or switch"
                                + " auto-commit off in the connection pool");
            }
            return work.with(connection);
        } catch (Throwable failure) {
            status.setRollbackOnly();
            if (!isOwn()) {
                RollbackGuard.markedBy(failure);
            }
            throw failure;
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Whether this call started the transaction, so that it ends with the call. */
    public boolean isOwn() {
        return status.isNewTransaction();
    }

    /** Whoever must be done in a second must not wait for five; fails if the transaction's own time is up. */
    public Duration limit(Duration wait) {
        return limit(wait, holder);
    }

    public static Duration limit(Duration wait, ConnectionHolder holder) {
        if (!holder.hasTimeout()) {
            return wait;
        }
        Duration left = Duration.ofMillis(holder.getTimeToLiveInMillis());
        return left.compareTo(wait) < 0 ? left : wait;
    }

    public boolean isRollbackOnly() {
        return status.isRollbackOnly();
    }

    /** Writes what JPA has pending; nothing with plain JDBC. */
    public void flush() {
        status.flush();
    }

    /** Works on the connection of a transaction. */
    @FunctionalInterface
    public interface ConnectionWork {

        /**
         * Does the work.
         *
         * @param connection of the transaction; not to be closed
         * @return the result
         * @throws Throwable on failure, which marks the transaction rollback-only
         */
        @Nullable Object with(Connection connection) throws Throwable;
    }
}
