package io.idempotency.internal.execution;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.Suppression;

/**
 * The strategy for leased calls: it commits the claim first, then runs the method, then stores the completion. The completion is
 * fenced, so that a call whose lease was reclaimed by another call cannot complete it.
 */
final class LeasedCallStrategy {

    private final ClaimStore store;

    private final RequiresNewTransaction transactions;

    private final RequiresNewTransaction singleUpdates;

    private final ClaimInTransaction claimInTransaction;

    private final FailureRecorder failures;

    private final CallRetry retry;

    private final CallDefaults defaults;

    private final ConcurrentHashMap<LocalKey, HeldLease> leasesInThisJvm = new ConcurrentHashMap<>();

    LeasedCallStrategy(
            ClaimStore store,
            RequiresNewTransaction transactions,
            RequiresNewTransaction singleUpdates,
            ClaimInTransaction claimInTransaction,
            FailureRecorder failures,
            CallRetry retry,
            CallDefaults defaults) {
        this.store = store;
        this.transactions = transactions;
        this.singleUpdates = singleUpdates;
        this.claimInTransaction = claimInTransaction;
        this.failures = failures;
        this.retry = retry;
        this.defaults = defaults;
    }

    @Nullable Object execute(CallExecution execution) throws Throwable {
        IdempotentCall call = execution.call();
        ResumedCall resumed = call.resumed();
        Lease lease = new Lease(
                resumed == null ? UUID.randomUUID() : resumed.token(),
                defaults.leaseOf(call.options()),
                call.arguments(),
                null);
        ClaimRequest request =
                defaults.claimRequest(call, execution.waitBudget().forDatabase(), false, lease);
        KeyOwnership.requireNotHeld(call.localKey(), call.intent(), lease);
        execution.beginAttempt();
        LeaseClaim leaseClaim =
                new LeaseClaim(request, execution.waitBudget(), resumed == null ? null : resumed.claim());
        ClaimResult claim = Objects.requireNonNull(retry.call(execution, leaseClaim));
        if (leaseClaim.isOfAnotherAttempt(claim)) {
            // An interceptor repeats an attempt that has ended: the next one is that of another search.
            if (resumed != null && resumed.failure() != null) {
                throw resumed.failure();
            }
            execution.setOutcome(Outcome.LEASE_LOST);
            throw new LeaseLostException(
                    call.intent(), Objects.requireNonNull(resumed).claim().attempt());
        }
        return claimInTransaction.handle(claim, execution, true, granted -> {
            Fence fence = request.fence(granted.attempt());
            HeldLease held = new HeldLease(
                    granted, fence, lease.duration(), leaseClaim.steps, store, transactions, singleUpdates, retry);
            KeyOwnership.HeldKey heldKey = KeyOwnership.hold(call.localKey(), lease);
            leasesInThisJvm.put(call.localKey(), held);
            if (resumed != null) {
                resumed.leaseHeld(held);
            }
            try {
                return run(new LeasedAttempt(execution, held));
            } finally {
                leasesInThisJvm.remove(call.localKey(), held);
                heldKey.release();
            }
        });
    }

    /** Returns how long a call of this JVM still holds the lease on a key; zero if none does. */
    Duration remainingInThisJvm(LocalKey key) {
        HeldLease lease = leasesInThisJvm.get(key);
        return lease == null ? Duration.ZERO : lease.remaining();
    }

    /** Returns the number of the attempt that this JVM is running, even if its lease has expired; null if it runs none. */
    @Nullable Integer attemptInThisJvm(LocalKey key) {
        HeldLease lease = leasesInThisJvm.get(key);
        return lease == null ? null : lease.claim().attempt();
    }

    private @Nullable Object run(LeasedAttempt attempt) throws Throwable {
        CallExecution execution = attempt.execution;
        execution.leaseGranted(attempt.held);
        Outcome success = ClaimResultHandler.outcomeOf(attempt.held.claim());
        try {
            Object result = retry.call(execution, attempt);
            execution.setDurableOutcome(success);
            return result;
        } catch (Throwable thrown) {
            if (thrown instanceof LeaseLostException lost
                    && lost.intent().filter(execution.call().intent()::equals).isPresent()) {
                execution.setOutcome(Outcome.LEASE_LOST);
            } else if (execution.commitResult().end() == CommitResult.End.COMMITTED) {
                execution.setDurableOutcome(success);
            } else if (!attempt.completionStarted && !fail(attempt, thrown)) {
                execution.setOutcome(Outcome.LEASE_LOST);
                LeaseLostException lost = new LeaseLostException(
                        execution.call().intent(), attempt.held.claim().attempt());
                lost.addSuppressed(thrown);
                throw lost;
            }
            throw thrown;
        }
    }

    /** Records the failure. Returns {@code false} if it is final, but the lease is lost, so that another attempt answers. */
    private boolean fail(LeasedAttempt attempt, Throwable thrown) {
        CallExecution execution = attempt.execution;
        try {
            Failure failure = failures.failureOf(execution.call(), execution.firstFailureOr(thrown));
            ResumedCall resumed = execution.call().resumed();
            ResumedCall.End end = resumed == null ? new ResumedCall.End(failure, null, false) : resumed.endOf(failure);
            if (!record(end, attempt.held.fence())) {
                return !end.failure().isFinal();
            }
            if (resumed != null) {
                resumed.ended(end, thrown);
            }
            if (end.failure().isFinal()) {
                execution.setDurableOutcome(Outcome.FAILED_FINAL);
            }
        } catch (Throwable recordingFailure) {
            Suppression.add(thrown, recordingFailure);
        }
        return true;
    }

    private boolean record(ResumedCall.End end, Fence fence) throws Throwable {
        return retry.runRequired(() -> transactions.call(connection -> end.record(store, connection, fence)))
                || (end.failure().isFinal() && isStoredAs(RequestStatus.FAILED_FINAL, fence))
                || (end.isAbandoned() && isStoredAs(RequestStatus.PROCESSING, fence))
                || (end.pause() != null && isStoredAs(RequestStatus.FAILED_RETRYABLE, fence));
    }

    /**
     * Returns whether the claim of the fence has ended in this way, perhaps by a try whose COMMIT was not answered. The query waits
     * for a server process that is still committing.
     */
    private boolean isStoredAs(RequestStatus status, Fence fence) throws Throwable {
        return retry.runRequired(() -> {
            Optional<StoredRequest> stored = transactions.call(connection -> store.findSettled(connection, fence));
            return stored.filter(request -> request.status() == status)
                    .filter(request -> request.isClaimedBy(fence))
                    .isPresent();
        });
    }

    /** The attempts to claim the key in a transaction of their own. After an in-doubt commit the token identifies the claim. */
    private final class LeaseClaim implements CallRetry.Attempt<ClaimResult> {

        private final ClaimRequest request;

        private final WaitBudget waitBudget;

        /** The claim of a call that is resumed; {@code null} for other calls. */
        private final @Nullable ClaimResult resumed;

        private @Nullable ClaimResult firstGrant;

        private List<RecordedStep> steps = List.of();

        LeaseClaim(ClaimRequest request, WaitBudget waitBudget, @Nullable ClaimResult resumed) {
            this.request = request;
            this.waitBudget = waitBudget;
            this.resumed = resumed;
            this.firstGrant = resumed;
        }

        @Override
        public ClaimResult execute() {
            return waitBudget.spendOn(() ->
                    transactions.callAndKeepIf(this::claim, claim -> claim.isGranted() && !isOfAnotherAttempt(claim)));
        }

        /** Returns whether a call that is resumed was granted another attempt, because its own has ended or was reclaimed. */
        boolean isOfAnotherAttempt(ClaimResult claim) {
            return claim.isGranted() && resumed != null && claim.attempt() != resumed.attempt();
        }

        private ClaimResult claim(Connection connection) {
            ClaimResult claim = withFirstKind(store.claim(connection, request));
            if (claim.isGranted() && claim.attempt() > 1) {
                steps = store.findSteps(connection, request.fence(claim.attempt()));
            }
            return claim;
        }

        /** Returns the first result for the same attempt number, because a repeated claim does not see what the row was before. */
        private ClaimResult withFirstKind(ClaimResult claim) {
            if (!claim.isGranted()) {
                return claim;
            }
            if (firstGrant == null || firstGrant.attempt() != claim.attempt()) {
                firstGrant = claim;
            }
            return firstGrant;
        }

        @Override
        public boolean isRetryable(Throwable failure) {
            return RetryClassifier.isRetryable(failure);
        }
    }

    /** The attempts to run the method, under the same claim. */
    private final class LeasedAttempt implements CallRetry.Attempt<Object> {

        private final CallExecution execution;

        private final IdempotentCall call;

        private final HeldLease held;

        /**
         * Set if the method has returned and its completion may be stored. If that remains unknown, the lease keeps the key until
         * it expires, so that no other call repeats the effect at once.
         */
        private boolean completionStarted;

        LeasedAttempt(CallExecution execution, HeldLease held) {
            this.execution = execution;
            this.call = execution.call();
            this.held = held;
        }

        @Override
        public @Nullable Object execute() throws Throwable {
            execution.enter();
            try {
                Object result = execution.invocation().proceed();
                if (execution.isCompleted()) {
                    execution.requireAcknowledgeable();
                } else {
                    execution.requireMethodReturned();
                    completeAfterwards(result);
                }
                return result;
            } catch (Throwable thrown) {
                if (isCompletedInDoubt(thrown)) {
                    return execution.result();
                }
                throw execution.exceptionForCaller(thrown);
            } finally {
                execution.leave();
            }
        }

        private void completeAfterwards(@Nullable Object result) throws Throwable {
            Completion completion = claimInTransaction.completionOf(call, held.fence(), result);
            completionStarted = true;
            AtomicInteger tries = new AtomicInteger();
            boolean completed;
            try {
                completed = retry.runRequired(() -> {
                            tries.incrementAndGet();
                            return transactions.call(connection -> store.complete(connection, completion));
                        })
                        || isStoredAs(RequestStatus.SUCCEEDED, held.fence());
            } catch (Throwable failure) {
                // Also if only an earlier try is in doubt: it may have stored the completion.
                boolean isInDoubt = tries.get() > 1 || RetryClassifier.isRetryableForRequiredWork(failure);
                throw isInDoubt ? outcomeUnknown(failure) : failure;
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

        private boolean isCompletedInDoubt(Throwable thrown) {
            if (!execution.isCompleted() || !execution.commitResult().isInDoubt(thrown)) {
                return false;
            }
            try {
                return isStoredAs(RequestStatus.SUCCEEDED, held.fence());
            } catch (Throwable queryFailure) {
                completionStarted = true;
                Suppression.add(thrown, queryFailure);
                throw outcomeUnknown(thrown);
            }
        }

        @Override
        public boolean isRetryable(Throwable failure) {
            return !completionStarted
                    && (call.options().retryLeased() || !execution.isMethodStarted())
                    && RetryClassifier.isRetryable(execution, failure);
        }
    }
}
