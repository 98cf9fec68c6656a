package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.springframework.transaction.TransactionExecution;

import io.idempotency.Intent;

/**
 * The row of a finished call in one message with the COMMIT of its transaction.
 *
 * @param connection the connection of the transaction
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
        FailedCommit.commitWith(connection, () -> {
            message.run();
            return true;
        });
    }
}
