package io.idempotency.internal.call;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.OptimisticAttempt;
import io.idempotency.internal.call.attempt.StoredAnswers;
import io.idempotency.internal.call.attempt.TransactionalAttempt;
import io.idempotency.internal.transaction.Suppression;

/**
 * Makes the attempts of calls whose key is committed together with their effect. It repeats them after transient failures, resolves
 * an in-doubt commit after the last one, and records failures.
 */
final class TransactionalCalls {

    private final CallRetry retry;

    private final FailureRecorder failures;

    private final InDoubtCommitResolver inDoubtCommits;

    private final StoredAnswers storedAnswers;

    TransactionalCalls(
            CallRetry retry,
            FailureRecorder failures,
            InDoubtCommitResolver inDoubtCommits,
            StoredAnswers storedAnswers) {
        this.retry = retry;
        this.failures = failures;
        this.inDoubtCommits = inDoubtCommits;
        this.storedAnswers = storedAnswers;
    }

    @Nullable Object execute(CallExecution execution) throws Throwable {
        try {
            return retry.call(
                    execution,
                    () -> makeAttempt(execution),
                    failure -> RetryClassifier.isRetryable(execution.last(), failure));
        } catch (Throwable thrown) {
            Throwable inDoubt = execution.inDoubtCommit();
            if (inDoubt != null || execution.mayCommitLate()) {
                Throwable failure = inDoubt == null ? thrown : inDoubt;
                Suppression.add(failure, thrown);
                return inDoubtCommits.resolve(execution, failure);
            }
            if (failures.record(execution, thrown)) {
                throw thrown;
            }
            return inDoubtCommits.answerOfAnother(execution, thrown);
        }
    }

    private @Nullable Object makeAttempt(CallExecution execution) throws Throwable {
        TransactionalAttempt attempt = execution.begin(nextAttempt(execution));
        try {
            return attempt.make();
        } catch (Throwable first) {
            if (!attempt.mayBeDuplicate(first)) {
                throw first;
            }
            return claimAndRun(execution, first);
        }
    }

    private @Nullable Object claimAndRun(CallExecution execution, Throwable first) throws Throwable {
        TransactionalAttempt attempt = execution.begin(execution.claimingAttempt());
        try {
            return attempt.make();
        } catch (Throwable second) {
            if (!attempt.isMethodStarted()) {
                Suppression.add(second, first);
            }
            throw second;
        }
    }

    private TransactionalAttempt nextAttempt(CallExecution execution) {
        Function<CallExecution, TransactionalAttempt> first = execution.firstAttempt();
        if (execution.claimsFirst()) {
            return execution.claimingAttempt();
        }
        return first == null ? attemptOfMode(execution) : first.apply(execution);
    }

    private TransactionalAttempt attemptOfMode(CallExecution execution) {
        return switch (execution.call().options().mode()) {
            case TRANSACTIONAL -> execution.claimingAttempt();
            case OPTIMISTIC -> new OptimisticAttempt(execution, storedAnswers);
            case LEASED -> throw new IllegalStateException("The key of a leased call is committed before its effect");
        };
    }
}
