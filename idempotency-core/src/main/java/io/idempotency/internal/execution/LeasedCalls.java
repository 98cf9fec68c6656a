package io.idempotency.internal.execution;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.Suppression;

/**
 * Runs methods under a lease: the claim is committed first, then the method runs, and its completion is fenced, so that a
 * holder whose lease was taken over cannot complete what is another's now.
 */
final class LeasedCalls {

    private final ClaimStore store;

    private final RequiresNewTransaction transactions;

    private final ClaimExecutor executor;

    private final FailureRecorder failures;

    private final CallRetry retry;

    private final CallDefaults defaults;

    private final ConcurrentHashMap<LocalKey, HeldLease> heldHere = new ConcurrentHashMap<>();

    LeasedCalls(
            ClaimStore store,
            RequiresNewTransaction transactions,
            ClaimExecutor executor,
            FailureRecorder failures,
            CallRetry retry,
            CallDefaults defaults) {
        this.store = store;
        this.transactions = transactions;
        this.executor = executor;
        this.failures = failures;
        this.retry = retry;
        this.defaults = defaults;
    }

    @Nullable Object call(Object site, IdempotentCall call, CallReport report, WaitBudget waitBudget, Invocation invocation)
            throws Throwable {
        Lease lease = new Lease(UUID.randomUUID(), defaults.leaseOf(call.terms()));
        ClaimRequest request = new ClaimRequest(
                call.requestId(),
                call.intent(),
                call.fingerprint(),
                defaults.retentionOf(call.terms()),
                defaults.responseRetentionOf(call),
                waitBudget.forDatabase(),
                false,
                lease);
        HeldKeys.requireNotHeld(call.localKey(), call.intent(), lease);
        report.started();
        Claim claim = Objects.requireNonNull(retry.call(call, new LeaseClaim(request, waitBudget)));
        return claim.handledBy(executor.answers(call, waitBudget, report, true, granted -> {
            Fence fence = new Fence(request.id(), granted.attempt(), lease.token());
            HeldLease held = new HeldLease(granted, fence, lease.duration(), store, transactions);
            HeldKeys.HeldKey heldKey = HeldKeys.hold(call.localKey(), lease);
            heldHere.put(call.localKey(), held);
            try {
                return run(new LeasedExecution(site, call, report, waitBudget, held, invocation));
            } finally {
                heldHere.remove(call.localKey(), held);
                heldKey.release();
            }
        }));
    }

    /** How long a call of this JVM holds a key for certain; zero if none does. */
    Duration remainingHere(LocalKey key) {
        HeldLease held = heldHere.get(key);
        return held == null ? Duration.ZERO : held.remaining();
    }

    private @Nullable Object run(LeasedExecution execution) throws Throwable {
        CallReport report = execution.report;
        Outcome success = ClaimAnswers.outcomeOf(execution.held.claim());
        try {
            Object result = retry.call(execution.call, execution);
            report.settled(success);
            return result;
        } catch (Throwable thrown) {
            if (thrown instanceof LeaseLostException lost
                    && lost.intent().filter(execution.call.intent()::equals).isPresent()) {
                report.found(Outcome.LEASE_LOST);
            } else if (execution.isCommitted()) {
                report.settled(success);
            } else if (!execution.completionBegun) {
                fail(execution, thrown);
            }
            throw thrown;
        }
    }

    private void fail(LeasedExecution execution, Throwable thrown) {
        IdempotentCall call = execution.call;
        try {
            Failure failure = failures.failureOf(call, execution.firstFailureOr(thrown));
            boolean recorded = retry.untilDone(
                    () -> transactions.call(connection -> store.fail(connection, execution.held.fence(), failure)));
            if (recorded && failure.isFinal()) {
                execution.report.settled(Outcome.FAILED_FINAL);
            }
        } catch (Throwable notRecorded) {
            Suppression.add(thrown, notRecorded);
        }
    }

    /** A claim in a transaction of its own; after a COMMIT without an answer the token tells whether it is ours. */
    private final class LeaseClaim implements CallRetry.Attempt<Claim> {

        private final ClaimRequest request;

        private final WaitBudget waitBudget;

        private Claim.@Nullable Granted unanswered;

        LeaseClaim(ClaimRequest request, WaitBudget waitBudget) {
            this.request = request;
            this.waitBudget = waitBudget;
        }

        @Override
        public Claim execute() {
            return waitBudget.spendOn(() -> transactions.callAndKeepIf(
                    connection -> withOrigin(store.claim(connection, request)), Claim.Granted.class::isInstance));
        }

        /** What the row was before, which is not to be seen any more once it is ours. */
        private Claim withOrigin(Claim claim) {
            if (claim instanceof Claim.Granted granted) {
                if (unanswered == null || unanswered.attempt() != granted.attempt()) {
                    unanswered = granted;
                }
                return unanswered;
            }
            return claim;
        }

        @Override
        public boolean isRepeatable(Throwable failure) {
            return RepeatDecision.isRepeatable(failure);
        }
    }

    /** One execution of the method after another, under the same claim. */
    private final class LeasedExecution implements CallRetry.Attempt<Object> {

        private final Object site;

        private final IdempotentCall call;

        private final CallReport report;

        private final WaitBudget waitBudget;

        private final HeldLease held;

        private final Invocation invocation;

        private @Nullable RunningCall last;

        /**
         * The method has returned, and its completion may have been written. If that cannot be found out, the key stays
         * held until the lease is over: somebody may look meanwhile, and nothing calls outside again at once.
         */
        private boolean completionBegun;

        LeasedExecution(
                Object site,
                IdempotentCall call,
                CallReport report,
                WaitBudget waitBudget,
                HeldLease held,
                Invocation invocation) {
            this.site = site;
            this.call = call;
            this.report = report;
            this.waitBudget = waitBudget;
            this.held = held;
            this.invocation = invocation;
        }

        @Override
        public @Nullable Object execute() throws Throwable {
            RunningCall running = RunningCall.enter(site, call, report, waitBudget, held);
            last = running;
            try {
                Object result = invocation.proceed();
                if (running.isCompleted()) {
                    running.requireAcknowledgeable();
                } else {
                    running.requireMethodReturned();
                    completeAfterwards(result);
                }
                return result;
            } catch (Throwable thrown) {
                if (isCompletedWithoutAnswer(running, thrown)) {
                    return running.result();
                }
                throw running.revealed(thrown);
            } finally {
                running.leave();
            }
        }

        private void completeAfterwards(@Nullable Object result) throws Throwable {
            Completion completion = executor.completionOf(call, held.fence(), result);
            completionBegun = true;
            boolean completed;
            try {
                completed =
                        retry.untilDone(() -> transactions.call(connection -> store.complete(connection, completion)))
                                || isStoredAsCompleted();
            } catch (Throwable notCompleted) {
                throw RepeatDecision.isRepeatableUntilDone(notCompleted) ? outcomeUnknown(notCompleted) : notCompleted;
            }
            if (!completed) {
                throw new LeaseLostException(call.intent(), held.claim().attempt());
            }
        }

        private OutcomeUnknownException outcomeUnknown(Throwable failure) {
            return new OutcomeUnknownException(
                    call.intent(),
                    RetryAfter.of(held.remaining()),
                    "its method has returned, and the database could not be asked whether its completion is stored. Repeat"
                            + " this call with the same key: it replays what was stored, and takes the key over when its"
                            + " lease has expired if nothing was",
                    failure);
        }

        private boolean isCompletedWithoutAnswer(RunningCall running, Throwable thrown) {
            if (!running.isCompleted() || !running.isCommitUnanswered(thrown)) {
                return false;
            }
            try {
                return isStoredAsCompleted();
            } catch (Throwable notToBeFound) {
                completionBegun = true;
                Suppression.add(thrown, notToBeFound);
                throw outcomeUnknown(thrown);
            }
        }

        /** Waits for a server process that is perhaps still committing. */
        private boolean isStoredAsCompleted() throws Throwable {
            return retry.untilDone(() -> {
                Optional<StoredRequest> stored = transactions.call(
                        connection -> store.findSettled(connection, held.fence().requestId()));
                return stored.filter(request -> request.status() == RequestStatus.SUCCEEDED)
                        .filter(request ->
                                held.fence().equals(request.fence(held.fence().requestId())))
                        .isPresent();
            });
        }

        @Override
        public boolean isRepeatable(Throwable failure) {
            return last != null
                    && !completionBegun
                    && (call.terms().retryLeased() || !last.isMethodStarted())
                    && RepeatDecision.isRepeatable(last, failure);
        }

        boolean isCommitted() {
            return last != null && last.phase() == RunningCall.Phase.COMMITTED;
        }

        Throwable firstFailureOr(Throwable thrown) {
            return last == null ? thrown : last.firstFailureOr(thrown);
        }
    }
}
