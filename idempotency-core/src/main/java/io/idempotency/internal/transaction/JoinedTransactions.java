package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Intent;
import io.idempotency.TransactionMismatchException;

/**
 * Finds or opens the transaction that claim, effect and response become part of. It always checks that the transaction is on the
 * DataSource of the idempotency tables, because they would not commit together otherwise.
 */
public final class JoinedTransactions {

    private final DataSource dataSource;

    private final PlatformTransactionManager transactionManager;

    public JoinedTransactions(DataSource dataSource, PlatformTransactionManager transactionManager) {
        this.dataSource = dataSource;
        this.transactionManager = transactionManager;
    }

    /**
     * Works on the connection of the open transaction, whatever its manager. After an exception it cannot commit, nor after a
     * rollback that has failed.
     *
     * @param work the work, which must not end the transaction
     * @throws TransactionMismatchException if no transaction is open on the DataSource of the idempotency tables, or it is
     *     committed already or read-only
     */
    public <T> T onOpenConnection(Function<Connection, T> work) {
        return onOpenConnection((connection, holder) -> work.apply(connection));
    }

    /** Does the same for work that needs the timeout of the transaction. */
    public <T> T onOpenConnection(BiFunction<Connection, ConnectionHolder, T> work) {
        ConnectionHolder holder = findHolder();
        DataSource boundDataSource = holder == null ? null : dataSourceOf(holder);
        if (holder == null || boundDataSource == null || !isTransactionOpen()) {
            throw noTransaction();
        }
        if (ActiveTransaction.isKnownOver(holder)) {
            throw new TransactionMismatchException(
                    "The transaction has been committed already, so messages can neither be"
                            + " published nor claimed in it, nor locks taken: this is a callback after its commit, such as a"
                            + " @TransactionalEventListener without a phase. Do it before the commit, with the phase"
                            + " BEFORE_COMMIT, or in a transaction with the propagation REQUIRES_NEW");
        }
        Connection connection = DataSourceUtils.getConnection(boundDataSource);
        try {
            if (isAutoCommit(connection)) {
                throw noTransaction();
            }
            T result = guardingRollback(connection, () -> work.apply(connection, holder));
            CommitGuard.register(connection, holder);
            return result;
        } finally {
            DataSourceUtils.releaseConnection(connection, boundDataSource);
        }
    }

    private static <T> T guardingRollback(Connection connection, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException failure) {
            RollbackGuard.register(failure, connection);
            throw ReadOnlyTransaction.explain(failure);
        } catch (Error failure) {
            // A claim is several messages, of which the first ones have written.
            RollbackGuard.register(failure, connection);
            throw failure;
        }
    }

    /** While its afterCompletion callbacks run, Spring still calls a transaction active, but it has no synchronization any more. */
    private static boolean isTransactionOpen() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && !(ActiveTransaction.intercepted() instanceof DefaultTransactionStatus status
                        && status.hasTransaction()
                        && isJoinedAfterEnd(status));
    }

    private static boolean isJoinedAfterEnd(DefaultTransactionStatus status) {
        return status.isNewSynchronization() && !status.isNewTransaction();
    }

    /** Returns whether each statement commits by itself, as on a connection that is bound while another database has a transaction. */
    public static boolean isAutoCommit(Connection connection) {
        try {
            return connection.getAutoCommit();
        } catch (SQLException closed) {
            throw new DataAccessResourceFailureException("The connection of the open transaction was lost", closed);
        }
    }

    private static TransactionMismatchException noTransaction() {
        return new TransactionMismatchException(
                "Messages can be published, batches of them claimed, and locks taken, only in an open JDBC or JPA"
                        + " transaction on the DataSource of the idempotency tables, in which the effect is made: declare @Transactional on"
                        + " the method, if there are several transaction managers @Transactional(\"nameOfTheBean\")");
    }

    /** Runs code in the transaction that the method declares; without one, in the open transaction or in a new one. */
    public @Nullable Object call(Intent intent, @Nullable TransactionStatus declared, Body body) throws Throwable {
        if (declared != null) {
            return body.in(require(intent, declared));
        }
        TransactionStatus status = joinOrOpen(intent);
        Object result;
        try {
            result = body.in(require(intent, status));
        } catch (Throwable failure) {
            rollBack(status, failure);
            throw failure;
        }
        transactionManager.commit(status);
        return result;
    }

    /**
     * Joins an open transaction, and opens one only if there is none: a manager that does not know the transaction of another
     * manager would begin and commit on the connection that they share.
     */
    private TransactionStatus joinOrOpen(Intent intent) {
        DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return transactionManager.getTransaction(definition);
        }
        if (findHolder() == null) {
            throw mismatch(intent);
        }
        definition.setPropagationBehavior(TransactionDefinition.PROPAGATION_MANDATORY);
        try {
            return transactionManager.getTransaction(definition);
        } catch (IllegalTransactionStateException notItsOwn) {
            throw new TransactionMismatchException(
                    intent,
                    "the open transaction was started by another transaction manager than the one for methods without"
                            + " @Transactional. Declare @Transactional on the method, with the manager of its caller");
        }
    }

    private void rollBack(TransactionStatus status, Throwable failure) {
        try {
            transactionManager.rollback(status);
        } catch (Throwable rollbackFailure) {
            Suppression.add(failure, rollbackFailure);
        }
    }

    private JoinedTransaction require(Intent intent, TransactionStatus status) {
        if (status instanceof DefaultTransactionStatus jdbcStatus
                && jdbcStatus.hasTransaction()
                && jdbcStatus.getTransaction() instanceof JdbcTransactionObjectSupport transaction
                && transaction.hasConnectionHolder()) {
            ConnectionHolder holder = transaction.getConnectionHolder();
            DataSource boundDataSource = dataSourceOf(holder);
            if (boundDataSource != null) {
                requireSynchronization(intent, jdbcStatus);
                return new JoinedTransaction(jdbcStatus, holder, boundDataSource);
            }
        }
        throw mismatch(intent);
    }

    /**
     * Throws if no callback would report the end of the transaction. That is so if its manager does not synchronize, or if the
     * transaction has ended: joining it then makes a new synchronization, which ends with the call and not with the transaction.
     */
    private static void requireSynchronization(Intent intent, DefaultTransactionStatus status) {
        if (isJoinedAfterEnd(status) || !TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new TransactionMismatchException(
                    intent,
                    "the open transaction has no synchronization: it is over already and this call comes from an"
                            + " afterCompletion callback, or its manager has setTransactionSynchronization(NEVER). Use"
                            + " the propagation REQUIRES_NEW in callbacks, and a manager with synchronization");
        }
    }

    /** Returns the DataSource that a holder is bound to, if that is the configured one, wraps it or is wrapped by it. */
    private @Nullable DataSource dataSourceOf(ConnectionHolder holder) {
        if (TransactionSynchronizationManager.getResource(dataSource) == holder) {
            return dataSource;
        }
        for (Map.Entry<Object, Object> resource :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (resource.getValue() == holder
                    && resource.getKey() instanceof DataSource bound
                    && SameDataSource.isSame(bound, dataSource)) {
                return bound;
            }
        }
        return null;
    }

    private @Nullable ConnectionHolder findHolder() {
        for (Object resource :
                TransactionSynchronizationManager.getResourceMap().values()) {
            if (resource instanceof ConnectionHolder holder && dataSourceOf(holder) != null) {
                return holder;
            }
        }
        return null;
    }

    private static TransactionMismatchException mismatch(Intent intent) {
        return new TransactionMismatchException(
                intent,
                "the open transaction is not a JDBC or JPA transaction on the DataSource of the idempotency tables, so"
                        + " claim and effect would not commit together. Name the bean of the right transaction manager,"
                        + " @Transactional(\"nameOfTheBean\"), or the right DataSource with idempotency.data-source");
    }

    /** The code that runs in a transaction. */
    @FunctionalInterface
    public interface Body {

        /**
         * Runs it.
         *
         * @throws Throwable on failure, which rolls the transaction back
         */
        @Nullable Object in(JoinedTransaction transaction) throws Throwable;
    }
}
