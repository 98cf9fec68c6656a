package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.transaction.Suppression;

/** Runs methods whose claim is part of their transaction: again where that helps, and records how they failed. */
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
        try {
            return settled(execution, retry.call(execution, new TransactionalAttempt(execution)));
        } catch (Throwable thrown) {
            Throwable inDoubt = execution.inDoubtCommit();
            if (inDoubt != null) {
                Suppression.add(inDoubt, thrown);
                return settled(execution, inDoubtCommits.resolve(execution, inDoubt));
            }
            failures.record(execution, thrown);
            throw thrown;
        }
    }

    /** Where no result is stored that could be replayed, the result is that of the attempt that did the work. */
    private static @Nullable Object settled(CallExecution execution, @Nullable Object answer) {
        CallExecution.Handled handled = execution.handled();
        if (handled == null || !execution.call().keyClaimer().isHandledByEarlierAttempt()) {
            return answer;
        }
        execution.settled(ClaimResultHandler.outcomeOf(handled.claim()));
        return handled.result();
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
                throw execution.revealed(thrown);
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
