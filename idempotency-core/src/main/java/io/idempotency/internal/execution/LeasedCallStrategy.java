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
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.Suppression;

/**
 * Runs methods under a lease: the claim is committed first, then the method runs, and its completion is fenced, so that a
 * holder whose lease was taken over cannot complete what is another's now.
 */
final class LeasedCallStrategy {

    private final ClaimStore store;

    private final RequiresNewTransaction transactions;

    private final ClaimInTransaction claimInTransaction;

    private final FailureRecorder failures;

    private final CallRetry retry;

    private final CallDefaults defaults;

    private final ConcurrentHashMap<LocalKey, HeldLease> heldHere = new ConcurrentHashMap<>();

    LeasedCallStrategy(
            ClaimStore store,
            RequiresNewTransaction transactions,
            ClaimInTransaction claimInTransaction,
            FailureRecorder failures,
            CallRetry retry,
            CallDefaults defaults) {
        this.store = store;
        this.transactions = transactions;
        this.claimInTransaction = claimInTransaction;
        this.failures = failures;
        this.retry = retry;
        this.defaults = defaults;
    }

    @Nullable Object execute(CallExecution execution) throws Throwable {
        IdempotentCall call = execution.call();
        Lease lease = new Lease(UUID.randomUUID(), defaults.leaseOf(call.options()));
        ClaimRequest request =
                defaults.claimRequest(call, execution.waitBudget().forDatabase(), false, lease);
        KeyOwnership.requireNotHeld(call.localKey(), call.intent(), lease);
        execution.beginAttempt();
        ClaimResult claim =
                Objects.requireNonNull(retry.call(execution, new LeaseClaim(request, execution.waitBudget())));
        return claimInTransaction.handle(claim, execution, true, granted -> {
            Fence fence = new Fence(request.id(), granted.attempt(), lease.token());
            HeldLease held = new HeldLease(granted, fence, lease.duration(), store, transactions);
            KeyOwnership.HeldKey heldKey = KeyOwnership.hold(call.localKey(), lease);
            heldHere.put(call.localKey(), held);
            try {
                return run(new LeasedAttempt(execution, held));
            } finally {
                heldHere.remove(call.localKey(), held);
                heldKey.release();
            }
        });
    }

    /** How long a call of this JVM holds a key for certain; zero if none does. */
    Duration remainingHere(LocalKey key) {
        HeldLease held = heldHere.get(key);
        return held == null ? Duration.ZERO : held.remaining();
    }

    private @Nullable Object run(LeasedAttempt attempt) throws Throwable {
        CallExecution execution = attempt.execution;
        execution.holds(attempt.held);
        Outcome success = ClaimResultHandler.outcomeOf(attempt.held.claim());
        try {
            Object result = retry.call(execution, attempt);
            execution.settled(success);
            return result;
        } catch (Throwable thrown) {
            if (thrown instanceof LeaseLostException lost
                    && lost.intent().filter(execution.call().intent()::equals).isPresent()) {
                execution.found(Outcome.LEASE_LOST);
            } else if (execution.commitResult().end() == CommitResult.End.COMMITTED) {
                execution.settled(success);
            } else if (!attempt.completionBegun) {
                fail(attempt, thrown);
            }
            throw thrown;
        }
    }

    private void fail(LeasedAttempt attempt, Throwable thrown) {
        CallExecution execution = attempt.execution;
        try {
            Failure failure = failures.failureOf(execution.call(), execution.firstFailureOr(thrown));
            boolean recorded = retry.untilDone(
                    () -> transactions.call(connection -> store.fail(connection, attempt.held.fence(), failure)));
            if (recorded && failure.isFinal()) {
                execution.settled(Outcome.FAILED_FINAL);
            }
        } catch (Throwable notRecorded) {
            Suppression.add(thrown, notRecorded);
        }
    }

    /** A claim in a transaction of its own; after a COMMIT without an answer the token tells whether it is ours. */
    private final class LeaseClaim implements CallRetry.Attempt<ClaimResult> {

        private final ClaimRequest request;

        private final WaitBudget waitBudget;

        private @Nullable ClaimResult inDoubt;

        LeaseClaim(ClaimRequest request, WaitBudget waitBudget) {
            this.request = request;
            this.waitBudget = waitBudget;
        }

        @Override
        public ClaimResult execute() {
            return waitBudget.spendOn(() -> transactions.callAndKeepIf(
                    connection -> withFirstKind(store.claim(connection, request)), ClaimResult::isGranted));
        }

        /** Keeps what the row was before this call took it, which a second claim cannot see. */
        private ClaimResult withFirstKind(ClaimResult claim) {
            if (!claim.isGranted()) {
                return claim;
            }
            if (inDoubt == null || inDoubt.attempt() != claim.attempt()) {
                inDoubt = claim;
            }
            return inDoubt;
        }

        @Override
        public boolean isRetryable(Throwable failure) {
            return RetryClassifier.isRetryable(failure);
        }
    }

    /** One run of the method after another, under the same claim. */
    private final class LeasedAttempt implements CallRetry.Attempt<Object> {

        private final CallExecution execution;

        private final IdempotentCall call;

        private final HeldLease held;

        /**
         * The method has returned, and its completion may have been written. If that cannot be found out, the key stays
         * held until the lease is over: somebody may look meanwhile, and nothing calls outside again at once.
         */
        private boolean completionBegun;

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
                if (isCompletedWithoutAnswer(thrown)) {
                    return execution.result();
                }
                throw execution.revealed(thrown);
            } finally {
                execution.leave();
            }
        }

        private void completeAfterwards(@Nullable Object result) throws Throwable {
            Completion completion = claimInTransaction.completionOf(call, held.fence(), result);
            completionBegun = true;
            boolean completed;
            try {
                completed =
                        retry.untilDone(() -> transactions.call(connection -> store.complete(connection, completion)))
                                || isStoredAsCompleted();
            } catch (Throwable notCompleted) {
                throw RetryClassifier.isRetryableUntilDone(notCompleted) ? outcomeUnknown(notCompleted) : notCompleted;
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

        private boolean isCompletedWithoutAnswer(Throwable thrown) {
            if (!execution.isCompleted() || !execution.commitResult().isInDoubt(thrown)) {
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
        public boolean isRetryable(Throwable failure) {
            return !completionBegun
                    && (call.options().retryLeased() || !execution.isMethodStarted())
                    && RetryClassifier.isRetryable(execution, failure);
        }
    }
}
