package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;

import io.idempotency.IdempotencyException;

/**
 * A transaction manager for plain JDBC that sends the completion of an idempotent call together with the COMMIT of the
 * transaction that the call has started, in one round trip. Other transactions are those of its superclass.
 */
@SuppressWarnings("serial") // The superclass is serializable for historical reasons only.
public final class PipelinedTransactionManager extends JdbcTransactionManager {

    private final boolean translatesExceptions;

    /**
     * Creates the manager.
     *
     * @param dataSource the DataSource of the transactions
     * @param translatesExceptions whether the exception of a failed commit or rollback is a {@code DataAccessException};
     *     otherwise it is a {@code TransactionSystemException}, as with {@code DataSourceTransactionManager}
     */
    public PipelinedTransactionManager(DataSource dataSource, boolean translatesExceptions) {
        super(dataSource);
        this.translatesExceptions = translatesExceptions;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        super.doBegin(transaction, definition);
        PipelinedTransaction.begin(holderOf(transaction));
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        if (!isCommittedWithCompletion(status)) {
            super.doCommit(status);
            return;
        }
        try {
            super.doCommit(status);
        } catch (RuntimeException afterCommit) {
            logger.debug("PostgreSQL has committed, so this failure changes nothing", afterCommit);
        }
    }

    private boolean isCommittedWithCompletion(DefaultTransactionStatus status) {
        ConnectionHolder holder = holderOf(status.getTransaction());
        PipelinedTransaction transaction = PipelinedTransaction.of(holder);
        PipelinedCompletion completion = transaction == null ? null : transaction.completion();
        if (transaction == null || completion == null) {
            return false;
        }
        Connection connection = holder.getConnection();
        try {
            boolean committed = completion.commit(connection, status.isRollbackOnly());
            transaction.discard();
            return committed;
        } catch (Throwable failure) {
            if (failure instanceof IdempotencyException) {
                TransactionTracker.refuses(status);
            }
            // Otherwise the clean-up would commit a transaction that is still open.
            Exception ended = FailedCommit.rollBack(connection, failure);
            RuntimeException thrown = ended instanceof SQLException sqlException
                    ? translateException("JDBC commit", sqlException)
                    : (RuntimeException) ended;
            transaction.commitFailed(thrown);
            throw thrown;
        }
    }

    /**
     * Does not roll back after a failed commit, because that has ended the transaction. If the connection was lost, throws the
     * failure of the commit, so that Spring reports an unknown end to callbacks and not a rollback.
     */
    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        RuntimeException commitFailure = PipelinedTransaction.commitFailure(holderOf(status.getTransaction()));
        if (commitFailure == null) {
            super.doRollback(status);
        } else if (SqlStates.isConnectionLost(SqlStates.of(commitFailure))) {
            throw commitFailure;
        }
    }

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
        PipelinedTransaction.end(holderOf(transaction));
        super.doCleanupAfterCompletion(transaction);
    }

    @Override
    protected RuntimeException translateException(String task, SQLException failure) {
        return translatesExceptions
                ? super.translateException(task, failure)
                : new TransactionSystemException(task + " failed", failure);
    }

    private static ConnectionHolder holderOf(Object transaction) {
        return ((JdbcTransactionObjectSupport) transaction).getConnectionHolder();
    }
}
