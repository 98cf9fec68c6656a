package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.transaction.Suppression;

/**
 * The strategy for calls whose claim is part of the method's transaction. It retries attempts, resolves an in-doubt commit after
 * the last one, and records failures.
 */
final class TransactionalCallStrategy {

    private final CallRetry retry;

    private final FailureRecorder failures;

    private final InDoubtCommitResolver inDoubtCommits;

    TransactionalCallStrategy(CallRetry retry, FailureRecorder failures, InDoubtCommitResolver inDoubtCommits) {
        this.retry = retry;
        this.failures = failures;
        this.inDoubtCommits = inDoubtCommits;
    }

    @Nullable Object execute(CallExecution execution) throws Throwable {
        return execute(execution, attemptOf(execution));
    }

    /** Makes attempts of another strategy. */
    @Nullable Object execute(CallExecution execution, CallRetry.Attempt<Object> attempt) throws Throwable {
        try {
            return resultOf(execution, retry.call(execution, attempt));
        } catch (Throwable thrown) {
            Throwable inDoubt = execution.inDoubtCommit();
            if (inDoubt != null || execution.mayCommitLate()) {
                Throwable failure = inDoubt == null ? thrown : inDoubt;
                Suppression.add(failure, thrown);
                return resultOf(execution, inDoubtCommits.resolve(execution, failure));
            }
            if (failures.record(execution, thrown)) {
                throw thrown;
            }
            return inDoubtCommits.answerOfAnother(execution, thrown);
        }
    }

    static CallRetry.Attempt<Object> attemptOf(CallExecution execution) {
        return new TransactionalAttempt(execution);
    }

    /** Returns the result of an earlier attempt if the last one found that to be committed and no result is stored. */
    private static @Nullable Object resultOf(CallExecution execution, @Nullable Object result) {
        CallExecution.GrantedAttempt granted = execution.lastGrantedAttempt();
        if (granted == null || !execution.call().keyClaimer().isHandledByEarlierAttempt()) {
            return result;
        }
        execution.setDurableOutcome(ClaimResultHandler.outcomeOf(granted.claim()));
        return granted.result();
    }

    private record TransactionalAttempt(CallExecution execution) implements CallRetry.Attempt<Object> {

        @Override
        public @Nullable Object execute() throws Throwable {
            execution.enter();
            try {
                Object result = execution.invocation().proceed();
                execution.requireAcknowledgeable();
                return result;
            } catch (Throwable thrown) {
                execution.attemptFailed(thrown);
                throw execution.exceptionForCaller(thrown);
            } finally {
                execution.leave();
            }
        }

        @Override
        public boolean isRetryable(Throwable failure) {
            return RetryClassifier.isRetryable(execution, failure);
        }
    }
}
