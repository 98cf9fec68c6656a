package io.idempotency.internal.execution;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.support.JdbcUtils;

import io.idempotency.Outcome;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.KeyedWrite;
import io.idempotency.internal.claim.WriteStore;
import io.idempotency.internal.codec.ResponseMapper;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.FailedCommit;
import io.idempotency.internal.transaction.SqlStates;

/**
 * The strategy for writes whose first attempt is one message: the finished row, the statements and the COMMIT. If PostgreSQL refuses
 * any of them, the attempt is made again with the claim first and one statement after the other. That knows all states of a key, and
 * which statement has failed.
 */
final class KeyedWriteStrategy {

    private static final ClaimResult GRANTED = ClaimResult.granted(ClaimResult.Kind.GRANTED_NEW, 1);

    private final TransactionalCallStrategy transactionalCalls;

    private final WriteStore store;

    private final DataSource dataSource;

    private final ClaimInTransaction claimInTransaction;

    private final CallDefaults defaults;

    KeyedWriteStrategy(
            TransactionalCallStrategy transactionalCalls,
            WriteStore store,
            DataSource dataSource,
            ClaimInTransaction claimInTransaction,
            CallDefaults defaults) {
        this.transactionalCalls = transactionalCalls;
        this.store = store;
        this.dataSource = dataSource;
        this.claimInTransaction = claimInTransaction;
        this.defaults = defaults;
    }

    @Nullable Object execute(CallExecution execution, KeyedWrite write) throws Throwable {
        return transactionalCalls.execute(
                execution, new WriteAttempt(execution, write, TransactionalCallStrategy.attemptOf(execution)));
    }

    private Connection connect() {
        try {
            return dataSource.getConnection();
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

    private final class WriteAttempt implements CallRetry.Attempt<Object> {

        private final CallExecution execution;

        private final KeyedWrite write;

        private final CallRetry.Attempt<Object> attempt;

        WriteAttempt(CallExecution execution, KeyedWrite write, CallRetry.Attempt<Object> attempt) {
            this.execution = execution;
            this.write = write;
            this.attempt = attempt;
        }

        @Override
        public @Nullable Object execute() throws Throwable {
            if (execution.claimsFirst() || CommittedRows.mayHoldConnection() || !write.fitsIntoOneMessage()) {
                return claimAndWrite();
            }
            execution.enter();
            try {
                return writeAndCommit();
            } catch (Throwable thrown) {
                execution.attemptFailed(thrown);
                if (!execution.claimsFirst() || !SqlStates.isAnswer(thrown)) {
                    throw thrown;
                }
            } finally {
                execution.leave();
            }
            return claimAndWrite();
        }

        private @Nullable Object claimAndWrite() throws Throwable {
            execution.claimFirst();
            return attempt.execute();
        }

        private @Nullable Object writeAndCommit() {
            IdempotentCall call = execution.call();
            KeyOwnership.requireNotHeld(call.localKey(), call.intent(), execution);
            ClaimRequest request =
                    defaults.claimRequest(call, execution.waitBudget().forDatabase(), call.isCompleteWithClaim(), null);
            Fence fence = request.fence(GRANTED.attempt());
            Completion completion = write.returnsRow()
                    ? new Completion(fence, ResponseMapper.NULL_BODY, null, null)
                    : claimInTransaction.completionOf(call, fence, write.response());
            String row = send(request, completion);
            execution.granted(GRANTED);
            execution.setDurableOutcome(Outcome.EXECUTED);
            return write.returnsRow() ? claimInTransaction.readRow(call, row) : write.response();
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
            execution.claimFirst();
            long start = System.nanoTime();
            CommitResult.End end = CommitResult.End.UNKNOWN;
            try {
                String row =
                        store.writeAndCommit(connection, request, completion, write, claimInTransaction.maxRowBytes());
                end = CommitResult.End.COMMITTED;
                return row;
            } catch (Throwable failure) {
                if (SqlStates.isWaitEnded(SqlStates.of(failure))) {
                    execution.waitBudget().spendSince(start);
                }
                Exception ended = FailedCommit.rollBack(connection, failure);
                if (ended instanceof SQLException unknown) {
                    throw unknown;
                }
                throw (RuntimeException) ended;
            } finally {
                execution.transactionEnded(end, end == CommitResult.End.COMMITTED);
            }
        }

        @Override
        public boolean isRetryable(Throwable failure) {
            return attempt.isRetryable(failure);
        }
    }
}
