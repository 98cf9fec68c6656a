package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.internal.transaction.Suppression;

/**
 * The strategy for calls whose first attempt runs the method before it claims the key: the finished row is inserted with the
 * COMMIT. If the key may have a row by then, everything is rolled back and the attempt is made again with the claim first, which
 * knows all states of a key.
 */
final class OptimisticCallStrategy {

    private final TransactionalCallStrategy transactionalCalls;

    private final CommittedRows committedRows;

    OptimisticCallStrategy(TransactionalCallStrategy transactionalCalls, CommittedRows committedRows) {
        this.transactionalCalls = transactionalCalls;
        this.committedRows = committedRows;
    }

    @Nullable Object execute(CallExecution execution) throws Throwable {
        return transactionalCalls.execute(
                execution, new OptimisticAttempt(execution, TransactionalCallStrategy.attemptOf(execution)));
    }

    /** Returns whether the failure may be that of a duplicate. */
    private boolean mayBeDuplicate(CallExecution execution, Throwable thrown) {
        if (!execution.isOptimistic() || !execution.commitResult().isRolledBack(thrown)) {
            return false;
        }
        if (execution.isFinishing() && SqlStates.isAnswer(thrown)) {
            execution.spendFinishing();
            return true;
        }
        return !SqlStates.isConnectionLost(SqlStates.of(execution.firstFailureOr(thrown)))
                && !committedRows.isNew(execution.call());
    }

    private final class OptimisticAttempt implements CallRetry.Attempt<Object> {

        private final CallExecution execution;

        private final CallRetry.Attempt<Object> attempt;

        OptimisticAttempt(CallExecution execution, CallRetry.Attempt<Object> attempt) {
            this.execution = execution;
            this.attempt = attempt;
        }

        @Override
        public @Nullable Object execute() throws Throwable {
            try {
                return attempt.execute();
            } catch (Throwable thrown) {
                if (!mayBeDuplicate(execution, thrown)) {
                    throw thrown;
                }
                return claimAndRun(thrown);
            }
        }

        private @Nullable Object claimAndRun(Throwable first) throws Throwable {
            try {
                return attempt.execute();
            } catch (Throwable second) {
                if (!execution.isMethodStarted()) {
                    Suppression.add(second, first);
                }
                throw second;
            }
        }

        @Override
        public boolean isRetryable(Throwable failure) {
            return attempt.isRetryable(failure);
        }
    }
}
