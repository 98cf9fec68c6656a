package io.idempotency.internal.call;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.DuplicatePolicy;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.Outcome;
import io.idempotency.RequestInProgressException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.internal.call.attempt.ActiveLeaseException;
import io.idempotency.internal.call.attempt.Attempt;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.CallParts;
import io.idempotency.internal.call.attempt.CallSettings;
import io.idempotency.internal.call.attempt.Effect;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.KeyOwnership;
import io.idempotency.internal.call.attempt.OutcomePublisher;
import io.idempotency.internal.call.attempt.RepeatRequestedException;
import io.idempotency.internal.call.attempt.StoredAnswers;
import io.idempotency.internal.call.attempt.TransactionalAttempt;
import io.idempotency.internal.call.wait.RetryAfter;
import io.idempotency.internal.call.wait.SingleFlight;
import io.idempotency.internal.call.wait.WaitBudget;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationKind;
import io.idempotency.internal.transaction.ActiveTransaction;
import io.idempotency.internal.transaction.CertainWrite;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * The outermost part of a call, outside of its transaction. It binds key and fingerprint once, lets duplicates in this JVM wait
 * for each other, and replays a response that this instance knows of. Otherwise it lets the attempts of its mode be made.
 * Finally it publishes the outcome, unless the end of a joined transaction decides on it.
 */
public final class IdempotentCallExecutor {

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    private final Map<OperationKind, CallBinder> binders;

    private final CallParts parts;

    private final SingleFlight singleFlight;

    private final Semaphore placesOfWaiting;

    private final TransactionalCalls transactionalCalls;

    private final LeasedExecutor leasedCalls;

    private final StoredAnswers storedAnswers;

    /** Creates the executor. */
    public IdempotentCallExecutor(
            Collection<? extends CallBinder> binders, LeasedExecutor leasedCalls, CallParts parts) {
        this.binders = binders.stream().collect(Collectors.toUnmodifiableMap(CallBinder::kind, binder -> binder));
        this.leasedCalls = leasedCalls;
        this.parts = parts;
        CallSettings settings = parts.settings();
        this.singleFlight = new SingleFlight(settings.maxWaiting());
        this.placesOfWaiting = new Semaphore(settings.maxWaitingInAll(), true);
        RequiresNewTransaction transactions = RequiresNewTransaction.readCommittedOn(parts.dataSource());
        FailureRecorder failures = new FailureRecorder(transactions, parts.failureTranslator());
        CallRetry retry = new CallRetry(settings.retry());
        this.storedAnswers =
                new StoredAnswers(parts.dataSource(), RequiresNewTransaction.on(parts.dataSource()), parts.store());
        this.transactionalCalls = new TransactionalCalls(
                retry,
                failures,
                new InDoubtCommitResolver(
                        transactions,
                        failures,
                        new CertainWrite(settings.retry().backoff())),
                storedAnswers);
    }

    /**
     * Executes a call of an annotated method.
     *
     * @param target the bean without its proxy
     * @param effect the method and its transaction; each attempt may run it
     */
    public @Nullable Object execute(
            IdempotentOperation operation, Object target, @Nullable Object[] arguments, Effect effect)
            throws Throwable {
        CallBinder binder = Objects.requireNonNull(binders.get(operation.kind()));
        OutcomePublisher publisher = binder.begin(operation.scope());
        return execute(publisher, () -> binder.bind(operation, target, arguments), effect, null);
    }

    /**
     * Executes a call.
     *
     * @param publisher receives the outcome, also if binding fails
     * @param binding computes key, payload and options; called once
     * @param effect its effect; each attempt may run it, but not a first one that is not of the call's mode
     * @param firstAttempt creates the first attempt; {@code null} for one of the call's mode
     */
    public @Nullable Object execute(
            OutcomePublisher publisher,
            Supplier<IdempotentCall> binding,
            Effect effect,
            @Nullable Function<CallExecution, TransactionalAttempt> firstAttempt)
            throws Throwable {
        long start = System.nanoTime();
        IdempotentCall call = bind(publisher, binding, start);
        WaitBudget waitBudget = WaitBudget.of(call.options().waiting(), placesOfWaiting);
        CallExecution execution = new CallExecution(call, parts, waitBudget, effect, firstAttempt, publisher, start);
        Throwable failure = null;
        try {
            return executeInTurn(execution);
        } catch (RepeatRequestedException notStored) {
            failure = notStored;
            return notStored.response();
        } catch (Throwable thrown) {
            failure = thrown;
            throw thrown;
        } finally {
            ActiveTransaction.forgetEnded();
            if (call.resumed() != null) {
                call.resumed().leave(failure == null);
            }
            execution.ended(failure);
        }
    }

    private static IdempotentCall bind(OutcomePublisher publisher, Supplier<IdempotentCall> binding, long start) {
        try {
            return binding.get();
        } catch (Throwable failure) {
            boolean isInvalid = failure instanceof MissingIdempotencyKeyException
                    || failure instanceof InvalidIdempotencyKeyException;
            CallExecution.Ended ended = new CallExecution.Ended(
                    null,
                    isInvalid ? Outcome.INVALID_KEY : Outcome.FAILED,
                    0,
                    Duration.ofNanos(System.nanoTime() - start),
                    failure,
                    null);
            publisher.ended(ended);
            publisher.returns(ended);
            throw failure;
        }
    }

    /**
     * Executes the call without a turn if the thread has a transaction or a key, because another call may wait for one of them, and if
     * it is resumed, because it holds the key that another call waits for.
     */
    private @Nullable Object executeInTurn(CallExecution execution) throws Throwable {
        IdempotentCall call = execution.call();
        boolean mayWait = call.options().waiting().onDuplicate() == DuplicatePolicy.WAIT
                && call.resumed() == null
                && !TransactionSynchronizationManager.isActualTransactionActive()
                && KeyOwnership.isNoneHeld();
        return mayWait
                ? singleFlight.call(
                        call.localKey(),
                        execution.waitBudget(),
                        () -> replayOrRun(execution),
                        () -> handleWaitTimeout(execution),
                        () -> refuseToWait(execution))
                : replayOrRun(execution);
    }

    /**
     * Takes no connection if the call that holds the key is known, because the waits of many duplicates may end together and would
     * exhaust the pool.
     */
    private @Nullable Object handleWaitTimeout(CallExecution execution) throws Throwable {
        IdempotentCall call = execution.call();
        if (!call.options().mode().commitsClaimFirst()) {
            answerWithoutAttempt(execution).setOutcome(Outcome.IN_PROGRESS);
            throw stillInProgress(call.intent(), execution.waitBudget());
        }
        Duration remaining = leasedCalls.remainingInThisJvm(call.localKey());
        if (remaining.isZero()) {
            return replayOrRun(execution);
        }
        answerWithoutAttempt(execution).setOutcome(Outcome.IN_PROGRESS);
        throw new ActiveLeaseException(remaining).toRequestInProgress(call.intent(), execution.waitBudget());
    }

    private Attempt answerWithoutAttempt(CallExecution execution) {
        return execution.begin(new Attempt(execution));
    }

    private static RequestInProgressException stillInProgress(Intent intent, WaitBudget waitBudget) {
        return new RequestInProgressException(
                intent,
                RetryAfter.of(waitBudget.total()),
                "The " + intent + " is being executed by another call in this process, "
                        + (Thread.currentThread().isInterrupted()
                                ? "and this thread was interrupted while it waited"
                                : "which did not end within "
                                        + waitBudget.spent().toMillis() + " ms")
                        + ": repeat this call later with the same key",
                null);
    }

    private Object refuseToWait(CallExecution execution) {
        answerWithoutAttempt(execution).setOutcome(Outcome.IN_PROGRESS);
        Intent intent = execution.call().intent();
        throw new RequestInProgressException(
                intent,
                RetryAfter.of(execution.waitBudget().total()),
                "The " + intent + " is being executed by another call, and "
                        + parts.settings().tooManyWaiting() + ": repeat this call later with the same key",
                null);
    }

    private @Nullable Object replayOrRun(CallExecution execution) throws Throwable {
        IdempotentCall call = execution.call();
        if (call.options().mode().commitsClaimFirst()
                && TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new TransactionMismatchException(
                    call.intent(),
                    "its lease has to be committed before the method runs, but a transaction is open. Call it from outside"
                            + " of transactions");
        }
        Optional<ClaimResult> stored = storedAnswers.findRecent(call, execution.waitBudget());
        if (stored.isPresent()) {
            return answerWithoutAttempt(execution).answer(stored.get(), true);
        }
        try {
            while (true) {
                try {
                    return makeAttempts(execution);
                } catch (ActiveLeaseException leased) {
                    if (execution.waitBudget().isSpent()) {
                        throw leased.toRequestInProgress(call.intent(), execution.waitBudget());
                    }
                    if (!execution.waitBudget().beginWaiting()) {
                        return refuseToWait(execution);
                    }
                    pause(leased.remaining(), execution.waitBudget());
                }
            }
        } finally {
            execution.waitBudget().endWaiting();
        }
    }

    private @Nullable Object makeAttempts(CallExecution execution) throws Throwable {
        IdempotentCall call = execution.call();
        try {
            return call.options().mode().commitsClaimFirst()
                    ? leasedCalls.execute(execution)
                    : transactionalCalls.execute(execution);
        } finally {
            if (execution.hasAnswer()) {
                storedAnswers.answered(call);
            }
        }
    }

    /** Pauses only briefly, because the lease may end early without notice. */
    private static void pause(Duration leaseRemaining, WaitBudget waitBudget) {
        long start = System.nanoTime();
        Duration pause = leaseRemaining.compareTo(LONGEST_PAUSE) < 0 ? leaseRemaining : LONGEST_PAUSE;
        Duration left = waitBudget.remaining();
        LockSupport.parkNanos((pause.compareTo(left) < 0 ? pause : left).toNanos());
        waitBudget.spendSince(start);
        if (Thread.currentThread().isInterrupted()) {
            waitBudget.spendAll();
        }
    }
}
