package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.transaction.Suppression;

/** Runs methods whose claim is part of their transaction: again where that helps, and records how they failed. */
final class TransactionalCalls {

    private final CallRetry retry;

    private final FailureRecorder failures;

    private final UnansweredCommits unansweredCommits;

    TransactionalCalls(CallRetry retry, FailureRecorder failures, UnansweredCommits unansweredCommits) {
        this.retry = retry;
        this.failures = failures;
        this.unansweredCommits = unansweredCommits;
    }

    @Nullable Object call(Object site, IdempotentCall call, CallReport report, WaitBudget waitBudget, Invocation invocation)
            throws Throwable {
        Execution execution = new Execution(site, call, report, waitBudget, invocation);
        try {
            return execution.settled(retry.call(call, execution));
        } catch (Throwable thrown) {
            if (execution.unanswered != null) {
                Suppression.add(execution.unanswered, thrown);
                return execution.settled(unansweredCommits.resolve(call, report, waitBudget, execution.unanswered));
            }
            if (execution.last != null) {
                failures.record(execution.last, thrown);
            }
            throw thrown;
        }
    }

    private static final class Execution implements CallRetry.Attempt<Object> {

        private final Object site;

        private final IdempotentCall call;

        private final CallReport report;

        private final WaitBudget waitBudget;

        private final Invocation invocation;

        private @Nullable RunningCall last;

        /** Of the COMMIT of which nobody has said yet what became of it. */
        private @Nullable Throwable unanswered;

        /** The last execution to which the key was granted. */
        private @Nullable RunningCall granted;

        Execution(Object site, IdempotentCall call, CallReport report, WaitBudget waitBudget, Invocation invocation) {
            this.site = site;
            this.call = call;
            this.report = report;
            this.waitBudget = waitBudget;
            this.invocation = invocation;
        }

        @Override
        public @Nullable Object execute() throws Throwable {
            RunningCall running = RunningCall.enter(site, call, report, waitBudget, null);
            last = running;
            try {
                Object result = invocation.proceed();
                running.requireAcknowledgeable();
                return result;
            } catch (Throwable thrown) {
                if (running.isClaimAnswered()) {
                    unanswered = null;
                }
                if (running.isCommitUnanswered(thrown)) {
                    unanswered = thrown;
                }
                throw running.revealed(thrown);
            } finally {
                if (running.granted() != null) {
                    granted = running;
                }
                running.leave();
            }
        }

        /** Of a message nothing is stored that would be replayed, so that its result is that of the execution that handled it. */
        @Nullable Object settled(@Nullable Object answer) {
            RunningCall handling = granted;
            Claim.Granted claim = handling == null ? null : handling.granted();
            if (handling == null
                    || claim == null
                    || !(call.claims() instanceof ReceiptClaims receipt)
                    || !receipt.isHandledHere()) {
                return answer;
            }
            report.settled(ClaimAnswers.outcomeOf(claim));
            return handling.result();
        }

        @Override
        public boolean isRepeatable(Throwable failure) {
            return last != null && RepeatDecision.isRepeatable(last, failure);
        }
    }
}
