package io.idempotency.internal.lease;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RequestStatus;
import io.idempotency.internal.call.CallRetry;
import io.idempotency.internal.call.FailureRecorder;
import io.idempotency.internal.call.LeasedExecutor;
import io.idempotency.internal.call.attempt.Attempt;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.CallParts;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.KeyOwnership;
import io.idempotency.internal.call.attempt.KeyOwnership.LocalKey;
import io.idempotency.internal.call.attempt.ResumedCall;
import io.idempotency.internal.call.wait.RetryAfter;
import io.idempotency.internal.call.wait.WaitBudget;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.transaction.CertainWrite;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.FailedCommit;
import io.idempotency.internal.transaction.RepeatableFailure;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.Suppression;
import io.idempotency.internal.transaction.WriteEnd;

/** Makes leased calls: commits the claim first, then makes the attempts to run the method under it, and records their failure. */
public final class LeasedCalls implements LeasedExecutor {

    private final CallParts parts;

    private final RequiresNewTransaction transactions;

    private final FailureRecorder failures;

    private final CallRetry retry;

    private final CertainWrite writes;

    private final LeaseRenewal renewal;

    /** The lease of the latest attempt of each key, which has those of earlier ones that have outlived theirs. */
    private final ConcurrentHashMap<LocalKey, HeldLease> leasesInThisJvm = new ConcurrentHashMap<>();

    private final AtomicReference<@Nullable Runnable> whenNoneIsHeld = new AtomicReference<>();

    /** Creates the executor, with the collaborators of all calls. */
    public LeasedCalls(CallParts parts, LeaseRenewal renewal) {
        this.parts = parts;
        this.transactions = RequiresNewTransaction.readCommittedOn(parts.dataSource());
        this.failures = new FailureRecorder(transactions, parts.failureTranslator());
        this.retry = new CallRetry(parts.settings().retry());
        this.writes = new CertainWrite(parts.settings().retry().backoff());
        this.renewal = renewal;
    }

    @Override
    public @Nullable Object execute(CallExecution execution) throws Throwable {
        IdempotentCall call = execution.call();
        ResumedCall resumed = call.resumed();
        Lease lease = new Lease(
                resumed == null ? UUID.randomUUID() : resumed.token(),
                call.options().lease().duration(),
                call.arguments(),
                null);
        ClaimRequest request = call.claimRequest(execution.waitBudget().forDatabase(), false, lease);
        KeyOwnership.requireNotHeld(call.localKey(), call.intent(), lease);
        Attempt asking = execution.begin(new Attempt(execution));
        LeaseClaim leaseClaim =
                new LeaseClaim(request, execution.waitBudget(), resumed == null ? null : resumed.claim());
        ClaimResult claim = leaseClaim.resolve(execution);
        if (leaseClaim.isOfAnotherAttempt(claim)) {
            // An interceptor repeats an attempt that has ended. The next attempt belongs to a later search.
            if (resumed != null && resumed.failure() != null) {
                throw resumed.failure();
            }
            asking.setOutcome(Outcome.LEASE_LOST);
            throw new LeaseLostException(
                    call.intent(), Objects.requireNonNull(resumed).claim().attempt());
        }
        return asking.handle(claim, true, granted -> {
            HeldLease held = new HeldLease(
                    call.database(),
                    granted,
                    request.fence(granted.attempt()),
                    new LeaseTerm(lease.duration(), leaseClaim.since),
                    leaseClaim.steps,
                    parts.store(),
                    transactions,
                    writes);
            if (resumed != null) {
                resumed.leased(held::remaining);
            }
            return run(execution, held, lease);
        });
    }

    private @Nullable Object run(CallExecution execution, HeldLease held, Lease lease) throws Throwable {
        IdempotentCall call = execution.call();
        KeyOwnership.HeldKey heldKey = KeyOwnership.hold(call, lease);
        leasesInThisJvm.compute(call.localKey(), (key, latest) -> held.onTopOf(latest));
        try {
            return run(execution, held);
        } finally {
            renewal.end(held);
            leasesInThisJvm.computeIfPresent(call.localKey(), (key, latest) -> latest.removing(held));
            heldKey.release();
            runIfNoneIsHeld();
        }
    }

    private @Nullable Object run(CallExecution execution, HeldLease held) throws Throwable {
        Outcome success = held.claim().outcome();
        execution.setAttemptNumber(held.claim().attempt());
        try {
            Object result = retry.call(
                    execution,
                    () -> execution
                            .begin(new LeasedAttempt(execution, held, renewal))
                            .make(),
                    failure -> mayFollow(lastOf(execution), failure));
            lastOf(execution).setDurableOutcome(success);
            return result;
        } catch (Throwable thrown) {
            // When its failure is recorded, another call may take the key, which is no loss.
            renewal.end(held);
            LeasedAttempt last = lastOf(execution);
            if (thrown instanceof LeaseLostException lost
                    && lost.intent().filter(execution.call().intent()::equals).isPresent()) {
                return answerOfInDoubt(execution, held, lost);
            } else if (last.commitResult().end() == CommitResult.End.COMMITTED) {
                last.setDurableOutcome(success);
            } else if (!last.isCompletionStarted() && !fail(last, held, thrown)) {
                return answerOfInDoubt(execution, held, held.lostAfter(thrown));
            }
            throw thrown;
        }
    }

    /** Returns what an attempt of the call has stored, if its COMMIT was not answered and the server has got it since. */
    private static @Nullable Object answerOfInDoubt(CallExecution execution, HeldLease held, LeaseLostException lost)
            throws Exception {
        Optional<ClaimResult> stored;
        try {
            stored = execution.inDoubtCommit() == null ? Optional.empty() : held.storedAnswer();
        } catch (Throwable queryFailure) {
            Suppression.add(lost, queryFailure);
            throw committedLate(held, lost);
        }
        if (stored.isEmpty()) {
            execution.last().setOutcome(Outcome.LEASE_LOST);
            throw lost;
        }
        return execution.begin(new Attempt(execution)).answer(stored.get(), true);
    }

    private static boolean mayFollow(LeasedAttempt failed, Throwable failure) {
        boolean isRetryable = failed.isRetryable(failure);
        if (isRetryable) {
            failed.execution().failed(failed, failure);
        }
        return isRetryable;
    }

    private static LeasedAttempt lastOf(CallExecution execution) {
        return (LeasedAttempt) execution.last();
    }

    /**
     * Records the failure, after which no COMMIT can arrive that was not answered. Returns {@code false} if the lease is lost, so that
     * another attempt answers if the failure is final, or one of this call if its COMMIT has arrived before.
     *
     * @throws OutcomeUnknownException if it is final, and another attempt may still answer, or if such a COMMIT may have arrived
     */
    private boolean fail(LeasedAttempt last, HeldLease held, Throwable thrown) {
        if (last.mayCommitLate(thrown)) {
            last.execution().failed(last, thrown);
        }
        boolean isInDoubt = last.execution().inDoubtCommit() != null;
        ResumedCall resumed = last.call().resumed();
        ResumedCall.End failed;
        try {
            Failure failure = failures.failureOf(last.call(), last.firstFailureOr(thrown));
            failed = resumed == null ? new ResumedCall.End(failure, null, false) : resumed.endOf(failure);
        } catch (Throwable translation) {
            return unrecorded(held, thrown, translation, isInDoubt);
        }
        boolean isFinal = failed.failure().isFinal();
        WriteEnd<RequestStatus> end = held.fail(failed);
        return switch (end.kind()) {
            case STORED -> {
                if (resumed != null) {
                    resumed.ended(failed, thrown);
                }
                if (isFinal) {
                    last.setDurableOutcome(Outcome.FAILED_FINAL);
                }
                yield true;
            }
            case LOST -> !isFinal && !isInDoubt;
            case LOCKED -> {
                if (isFinal && !isInDoubt) {
                    OutcomeUnknownException unknown = held.takeoverInDoubt(end.failure());
                    unknown.addSuppressed(thrown);
                    throw unknown;
                }
                yield unrecorded(held, thrown, end.failure(), isInDoubt);
            }
            case REFUSED, UNKNOWN -> unrecorded(held, thrown, end.failure(), isInDoubt);
        };
    }

    /** Lets the caller get its failure, although nothing is recorded. */
    private static boolean unrecorded(HeldLease held, Throwable thrown, Throwable recordingFailure, boolean isInDoubt) {
        Suppression.add(thrown, recordingFailure);
        if (isInDoubt) {
            throw committedLate(held, thrown);
        }
        return true;
    }

    private static OutcomeUnknownException committedLate(HeldLease held, Throwable thrown) {
        return held.outcomeUnknown(
                "its COMMIT was not answered, and may arrive late. Repeat this call with the same key: it replays what was"
                        + " committed, and runs if nothing was",
                thrown);
    }

    @Override
    public Duration remainingInThisJvm(LocalKey key) {
        HeldLease lease = leasesInThisJvm.get(key);
        return lease == null ? Duration.ZERO : lease.remaining();
    }

    /** Returns whether this JVM runs an attempt, even if its lease has expired. */
    public boolean runsInThisJvm(LocalKey key) {
        return leasesInThisJvm.containsKey(key);
    }

    /** Runs an action, once, as soon as no call of this JVM holds a lease. It replaces one that has not run. */
    public void whenNoneIsHeld(Runnable action) {
        whenNoneIsHeld.set(action);
        runIfNoneIsHeld();
    }

    private void runIfNoneIsHeld() {
        if (whenNoneIsHeld.get() != null && leasesInThisJvm.isEmpty()) {
            Runnable action = whenNoneIsHeld.getAndSet(null);
            if (action != null) {
                action.run();
            }
        }
    }

    /** Returns the intents of the calls of this JVM that hold a lease. */
    public List<Intent> heldIntents() {
        return leasesInThisJvm.values().stream().map(HeldLease::intent).toList();
    }

    /** The attempts to claim the key in a transaction of their own. After an in-doubt commit the token identifies the claim. */
    private final class LeaseClaim {

        private final ClaimRequest request;

        private final WaitBudget waitBudget;

        /** The claim of a call that is resumed; {@code null} for other calls. */
        private final @Nullable ClaimResult resumed;

        private @Nullable ClaimResult firstGrant;

        /** The {@link System#nanoTime()} before the last claim was sent. */
        private long since;

        private List<RecordedStep> steps = List.of();

        LeaseClaim(ClaimRequest request, WaitBudget waitBudget, @Nullable ClaimResult resumed) {
            this.request = request;
            this.waitBudget = waitBudget;
            this.resumed = resumed;
            this.firstGrant = resumed;
        }

        /**
         * Makes attempts until one is answered, also after the last one if the COMMIT of one was not: a row without a holder would keep
         * the key until its lease expires, and the call might be resumed after its caller was told of a failure.
         *
         * @throws OutcomeUnknownException if nothing could be found out
         */
        ClaimResult resolve(CallExecution execution) throws Throwable {
            WriteEnd<ClaimResult> end = writes.send(
                    message -> Objects.requireNonNull(
                            retry.call(execution, message::make, RepeatableFailure::isOfShortTransaction)),
                    this::make,
                    claim -> claim.kind() != ClaimResult.Kind.IN_PROGRESS);
            return switch (end.kind()) {
                case STORED -> end.result();
                case REFUSED -> throw end.failure();
                case LOCKED ->
                    throw outcomeUnknown(
                            execution,
                            "a transaction still holds its key, perhaps the one that commits",
                            end.failure());
                case UNKNOWN ->
                    throw outcomeUnknown(execution, "the database could not be asked what became of it", end.failure());
                case LOST -> throw new IllegalStateException("A claim has no lease yet that another call could take");
            };
        }

        private OutcomeUnknownException outcomeUnknown(CallExecution execution, String reason, Throwable inDoubt) {
            return new OutcomeUnknownException(
                    execution.call().intent(),
                    RetryAfter.of(lease().duration()),
                    "the COMMIT of its claim was not answered, and " + reason
                            + ". Its method has not run, but a call with resume = true may be made later. Repeat this call with"
                            + " the same key",
                    inDoubt);
        }

        private Lease lease() {
            return Objects.requireNonNull(request.lease());
        }

        /** The claim of a call that is resumed is committed already. It finds it, and keeps no other one. */
        private ClaimResult make() {
            return waitBudget.spendOn(() -> resumed == null
                    ? transactions.send(this::claimAndCommit)
                    : transactions.callAndKeepIf(
                            this::claim, found -> found.isGranted() && !isOfAnotherAttempt(found)));
        }

        /** Returns whether a call that is resumed was granted another attempt, because its own has ended or was reclaimed. */
        boolean isOfAnotherAttempt(ClaimResult claim) {
            return claim.isGranted() && resumed != null && claim.attempt() != resumed.attempt();
        }

        private ClaimResult claimAndCommit(Connection connection) {
            since = System.nanoTime();
            ClaimResult claim = withFirstKind(waitBudget.sendClaim(
                    request, bounded -> parts.store().claimAndCommit(connection, bounded, this::withFirstKind)));
            try {
                findSteps(connection, claim);
            } catch (Throwable failure) {
                // Otherwise an Error would leave the lease without a holder.
                throw FailedCommit.afterCommit(failure);
            }
            return claim;
        }

        private ClaimResult claim(Connection connection) {
            since = System.nanoTime();
            ClaimResult claim = withFirstKind(
                    waitBudget.sendClaim(request, bounded -> parts.store().claim(connection, bounded)));
            findSteps(connection, claim);
            return claim;
        }

        private void findSteps(Connection connection, ClaimResult claim) {
            if (claim.isGranted() && claim.attempt() > 1) {
                steps = parts.store().findSteps(connection, request.fence(claim.attempt()));
            }
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
    }
}
