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
 * The open transaction that a call is part of. {@link JoinedTransactions} has checked that it is on the DataSource of the
 * idempotency tables.
 *
 * @param holder the holder of its connection, which identifies the transaction among the transactions of the thread
 * @param dataSource the DataSource that the holder is bound to, which may be a wrapper or the target of the configured one
 * @param isMarkedBefore whether its caller had marked it rollback-only before the call
 */
public record JoinedTransaction(
        DefaultTransactionStatus status, ConnectionHolder holder, DataSource dataSource, boolean isMarkedBefore) {

    JoinedTransaction(DefaultTransactionStatus status, ConnectionHolder holder, DataSource dataSource) {
        this(status, holder, dataSource, ActiveTransaction.isMarked(holder));
    }

    /** Works on the connection of the transaction. Every exception marks the transaction rollback-only. */
    public @Nullable Object withConnection(Intent intent, ConnectionWork work) throws Throwable {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            if (JoinedTransactions.isAutoCommit(connection)) {
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
                RollbackGuard.registerMarked(failure);
            }
            throw failure;
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Returns whether the call has started the transaction, which then ends with the call. */
    public boolean isOwn() {
        return status.isNewTransaction();
    }

    /** Caps the wait at the transaction's remaining timeout. Throws if that is over. */
    public Duration limit(Duration wait) {
        return limit(wait, holder);
    }

    /** Does the same for the transaction of a holder. */
    public static Duration limit(Duration wait, ConnectionHolder holder) {
        if (!holder.hasTimeout()) {
            return wait;
        }
        Duration remaining = Duration.ofMillis(holder.getTimeToLiveInMillis());
        return remaining.compareTo(wait) < 0 ? remaining : wait;
    }

    /**
     * Returns whether the transaction is marked rollback-only, also if the call has done that with the status of the method or of the
     * template that has started it. Such a mark shows itself only at the end. A caller may mark its transaction before the call.
     */
    public boolean isRollbackOnly() {
        return status.isRollbackOnly() || (!isMarkedBefore && ActiveTransaction.isMarked(holder));
    }

    /**
     * Flushes the pending changes of JPA, and throws unless the transaction can commit then. Checks before the flush as well, because
     * that would fail for another reason in an aborted transaction.
     *
     * @param stateBefore the state before the method; ENDED also if nothing was sent before it
     */
    public void requireCommittable(Intent intent, Connection connection, TransactionState stateBefore) {
        requireNotFailed(intent, connection, stateBefore);
        flush();
        requireNotFailed(intent, connection, stateBefore);
    }

    private void requireNotFailed(Intent intent, Connection connection, TransactionState stateBefore) {
        if (isRollbackOnly()) {
            throw TransactionFailures.rollbackOnly(intent);
        }
        TransactionState state = TransactionState.of(connection);
        if (state == TransactionState.ABORTED) {
            throw TransactionFailures.swallowedSqlError(intent);
        }
        requireNotEnded(intent, state, stateBefore);
    }

    /**
     * Throws if a method has ended the transaction.
     *
     * @param stateBefore the state before the method; ENDED also if nothing was sent before it
     */
    public static void requireNotEnded(Intent intent, TransactionState state, TransactionState stateBefore) {
        boolean isEnded = switch (state) {
            case MARKED, ABORTED -> false;
            case OPEN -> stateBefore == TransactionState.MARKED;
            case ENDED -> stateBefore != TransactionState.ENDED;
        };
        if (isEnded) {
            throw TransactionFailures.transactionEnded(intent);
        }
    }

    /** Flushes the pending changes of JPA. Does nothing with plain JDBC. */
    public void flush() {
        status.flush();
    }

    /** Works on the connection of a transaction. */
    @FunctionalInterface
    public interface ConnectionWork {

        /**
         * Does the work.
         *
         * @param connection the connection of the transaction; not to be closed
         * @throws Throwable on failure, which marks the transaction rollback-only
         */
        @Nullable Object with(Connection connection) throws Throwable;
    }
}
