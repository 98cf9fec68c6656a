package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionSystemException;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Completion;

/**
 * The row of a finished call, which has claimed nothing, in one message with the COMMIT of its transaction.
 *
 * @param store sends the message
 * @param connection the connection of the transaction
 * @param request the key and its retention
 * @param completion the response
 */
public record RowWithCommit(ClaimStore store, Connection connection, ClaimRequest request, Completion completion) {

    /** Throws if a callback has marked the transaction rollback-only, because a JDBC manager would commit it even so. */
    void requireCommittable(TransactionExecution transaction) {
        if (transaction.isRollbackOnly()) {
            throw TransactionFailures.rollbackOnly(request.intent());
        }
    }

    /** Commits. After that the driver sends nothing for the COMMIT of the manager. */
    void send() {
        try {
            store.insertFinishedAndCommit(connection, request, completion);
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
