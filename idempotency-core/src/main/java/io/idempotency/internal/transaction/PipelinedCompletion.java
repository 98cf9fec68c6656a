package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

import io.idempotency.Intent;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.CompletingCommit;
import io.idempotency.internal.claim.Completion;

/** The completion of a call whose method has returned, which is sent together with the COMMIT of its transaction. */
public final class PipelinedCompletion {

    private final ClaimStore store;

    private final Intent intent;

    /** Null if the call has claimed nothing, so that there is no row to complete before the COMMIT. */
    private final @Nullable Completion completion;

    private final CompletingCommit completingCommit;

    private boolean sentEarly;

    private PipelinedCompletion(
            ClaimStore store, Intent intent, @Nullable Completion completion, CompletingCommit completingCommit) {
        this.store = store;
        this.intent = intent;
        this.completion = completion;
        this.completingCommit = completingCommit;
    }

    /** Encodes and binds all parameters now, so that an invalid one fails the call and not the commit. */
    public static PipelinedCompletion ofClaim(
            ClaimStore store, Intent intent, Connection connection, Completion completion) {
        return new PipelinedCompletion(store, intent, completion, store.completingCommit(connection, completion));
    }

    /** Does the same for a call that has claimed nothing: its row is inserted with the COMMIT. */
    public static PipelinedCompletion withoutClaim(
            ClaimStore store, ClaimRequest request, Connection connection, Completion completion) {
        return new PipelinedCompletion(
                store, request.intent(), null, store.finishingCommit(connection, request, completion));
    }

    /** Writes the completion without the COMMIT. Every call writes it again, because a rollback to a savepoint may have undone it. */
    public void sendEarly(Connection connection) {
        if (completion == null) {
            return;
        }
        if (!store.complete(connection, completion) && !sentEarly) {
            throw TransactionFailures.claimIsGone(intent);
        }
        sentEarly = true;
    }

    /**
     * Completes the call. If the completion was not sent early, commits with it.
     *
     * @return whether PostgreSQL has committed
     */
    public boolean commit(Connection connection, boolean isRollbackOnly) throws SQLException {
        if (isRollbackOnly) {
            throw TransactionFailures.rollbackOnly(intent);
        }
        if (TransactionState.of(connection) == TransactionState.ABORTED) {
            throw TransactionFailures.swallowedSqlError(intent);
        }
        if (sentEarly) {
            if (TransactionState.of(connection) == TransactionState.ENDED) {
                throw TransactionFailures.transactionEnded(intent);
            }
            sendEarly(connection);
            return false;
        }
        if (!send(connection)) {
            throw TransactionFailures.claimIsGone(intent);
        }
        return true;
    }

    private boolean send(Connection connection) throws SQLException {
        try {
            return completingCommit.send();
        } catch (Throwable failure) {
            if (hasEnded(connection) && !SqlStates.isAnswer(failure)) {
                throw FailedCommit.unknown(failure);
            }
            throw failure;
        }
    }

    private boolean hasEnded(Connection connection) {
        try {
            return TransactionState.of(connection) == TransactionState.ENDED;
        } catch (DataAccessException connectionLost) {
            return false;
        }
    }

    /** Closes the prepared statements. */
    public void close() {
        completingCommit.close();
    }
}
