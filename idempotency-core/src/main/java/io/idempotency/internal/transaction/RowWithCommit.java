package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionSystemException;

import io.idempotency.Intent;

/**
 * The row of a finished call, which has claimed nothing, in one message with the COMMIT of its transaction.
 *
 * @param intent the intent of the call
 * @param connection the connection of the transaction
 * @param message sends the row and the COMMIT
 */
public record RowWithCommit(Intent intent, Connection connection, Runnable message) {

    /** Throws if a callback has marked the transaction rollback-only, because a JDBC manager would commit it even so. */
    void requireCommittable(TransactionExecution transaction) {
        if (transaction.isRollbackOnly()) {
            throw TransactionFailures.rollbackOnly(intent);
        }
    }

    /** Commits. After that the driver sends nothing for the COMMIT of the manager. */
    void send() {
        try {
            message.run();
        } catch (Throwable failure) {
            Exception ended = FailedCommit.rollBack(connection, failure);
            if (ended instanceof DataAccessException refused && SqlStates.isAnswer(refused)) {
                throw refused;
            }
            // One of these lets Spring report an unknown end to callbacks, and not a rollback.
            throw new TransactionSystemException("COMMIT failed", ended);
        }
    }
}
