package io.idempotency.internal.write;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.support.JdbcUtils;

import io.idempotency.Outcome;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.KeyOwnership;
import io.idempotency.internal.call.attempt.TransactionalAttempt;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.KeyedWrite;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.FailedCommit;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.SqlStates;

import static java.util.Objects.requireNonNull;

/**
 * The attempt of a write that is one message: the finished row, the statements and the COMMIT. If PostgreSQL refuses any of them, an
 * attempt with the claim first and one statement after the other follows. That knows all states of a key, and which statement has
 * failed.
 */
public final class WriteAttempt extends TransactionalAttempt {

    private static final ClaimResult FIRST = ClaimResult.granted(ClaimResult.Kind.GRANTED_NEW, 1);

    private final KeyedWrite write;

    WriteAttempt(CallExecution execution, KeyedWrite write) {
        super(execution);
        this.write = write;
    }

    /**
     * Returns an attempt that claims first if the statements cannot be one message. A thread that holds a connection might wait in vain
     * for another one.
     */
    public static TransactionalAttempt first(CallExecution execution, KeyedWrite write) {
        if (write.fitsIntoOneMessage() && !RequiresNewTransaction.mayHoldConnection()) {
            return new WriteAttempt(execution, write);
        }
        execution.claimFirst();
        return new TransactionalAttempt(execution);
    }

    @Override
    public @Nullable Object make() throws Throwable {
        try {
            return writeAndCommit();
        } catch (Throwable thrown) {
            execution().failed(this, thrown);
            throw thrown;
        }
    }

    @Override
    public boolean mayBeDuplicate(Throwable thrown) {
        return execution().claimsFirst() && SqlStates.isAnswer(thrown);
    }

    private @Nullable Object writeAndCommit() {
        IdempotentCall call = call();
        KeyOwnership.requireNotHeld(call.localKey(), call.intent(), this);
        ClaimRequest request =
                call.claimRequest(execution().waitBudget().forDatabase(), call.isCompleteWithClaim(), null);
        Fence fence = request.fence(FIRST.attempt());
        Completion completion = write.returnsRow()
                ? new Completion(fence, ResponseMapper.NULL_BODY, null, null)
                : completionOf(fence, write.response());
        String row = send(request, completion);
        setGrant(FIRST);
        setDurableOutcome(Outcome.EXECUTED);
        return write.returnsRow()
                ? parts().responses().read(call.intent(), requireNonNull(row), call.responseType())
                : write.response();
    }

    private @Nullable String send(ClaimRequest request, Completion completion) {
        Connection connection = connect();
        try {
            boolean wasAutoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                return send(connection, request, completion);
            } finally {
                restoreAutoCommit(connection, wasAutoCommit);
            }
        } catch (SQLException lost) {
            throw new DataAccessResourceFailureException("The connection of a write was lost", lost);
        } finally {
            JdbcUtils.closeConnection(connection);
        }
    }

    private @Nullable String send(Connection connection, ClaimRequest request, Completion completion)
            throws SQLException {
        // The attempts after this one have to find out what became of it.
        execution().claimFirst();
        long start = System.nanoTime();
        CommitResult.End end = CommitResult.End.UNKNOWN;
        try {
            String row = execution()
                    .waitBudget()
                    .sendClaim(
                            request,
                            bounded -> parts().store()
                                    .writeAndCommit(
                                            connection,
                                            bounded,
                                            completion,
                                            write,
                                            parts().responses().maxBytes()));
            end = CommitResult.End.COMMITTED;
            return row;
        } catch (Throwable failure) {
            if (SqlStates.isWaitEnded(SqlStates.of(failure))) {
                execution().waitBudget().spendSince(start);
            }
            Exception ended = FailedCommit.rollBack(connection, failure);
            if (ended instanceof SQLException unknown) {
                throw unknown;
            }
            throw (RuntimeException) ended;
        } finally {
            transactionEnded(end, end == CommitResult.End.COMMITTED);
        }
    }

    private Connection connect() {
        try {
            return parts().dataSource().getConnection();
        } catch (SQLException failure) {
            throw new CannotGetJdbcConnectionException("There is no connection for a write", failure);
        }
    }

    private static void restoreAutoCommit(Connection connection, boolean wasAutoCommit) {
        try {
            connection.setAutoCommit(wasAutoCommit);
        } catch (SQLException lost) {
            // The write has ended, and a pool discards a connection that is lost.
        }
    }
}
