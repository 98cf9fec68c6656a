package io.idempotency.internal.execution;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.BrokenInterceptorChainException;
import io.idempotency.Outcome;
import io.idempotency.TransactionFailedException;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.KeyedWrite;
import io.idempotency.internal.transaction.ActiveTransaction;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.InterceptedTransaction;

/**
 * The state of one execution of a call: the one mutable object on its path. {@link IdempotentCallExecutor} creates it outside of
 * the transaction and binds it to the thread for each attempt; {@link ClaimInTransaction} finds it there. The strategies read
 * from it what the transaction did, and its outcome is published at the end. Methods describe the current attempt, which is the
 * last one, unless they say otherwise.
 */
final class CallExecution {

    private static final ThreadLocal<@Nullable CallExecution> INNERMOST = new NamedThreadLocal<>("idempotent call");

    /** The outcomes of calls whose method ran, so that a rollback undoes an effect. */
    private static final Set<Outcome> WITH_EFFECT = EnumSet.of(Outcome.EXECUTED, Outcome.RETRIED, Outcome.RECOVERED);

    private final Object site;

    private final IdempotentCall call;

    private final WaitBudget waitBudget;

    private final Invocation invocation;

    private final @Nullable KeyedWrite write;

    private final OutcomePublisher publisher;

    private final long start;

    private @Nullable CallExecution outer;

    private @Nullable HeldLease lease;

    // State of the current attempt

    private @Nullable TransactionStatus surroundingTransaction;

    private boolean insideTransaction;

    private Participation participation = Participation.NONE;

    private @Nullable ActiveTransaction transaction;

    private boolean claimReached;

    private boolean claimAnswered;

    private boolean optimistic;

    private long finishingSince;

    private boolean completed;

    private boolean undone;

    private boolean committed;

    private @Nullable ClaimResult granted;

    private @Nullable Throwable failureInside;

    private @Nullable Object result;

    private CommitResult.End transactionEnd = CommitResult.End.NONE;

    private @Nullable Outcome outcome;

    // State of the whole call

    private int attempt;

    private boolean claimsFirst;

    private @Nullable GrantedAttempt lastGrantedAttempt;

    private @Nullable Throwable inDoubtCommit;

    private boolean mayCommitLate;

    private OutcomePublisher.@Nullable Ended pending;

    /**
     * Creates the execution of a call.
     *
     * @param site identifies the called method, because a method may make other calls
     * @param call key, payload and options
     * @param waitBudget the time that the call may wait for others
     * @param invocation the transaction with the claim and the method in it; each attempt proceeds with it
     * @param write the statements of a write, whose first attempt is one message; {@code null} for another call
     * @param publisher receives the outcome
     * @param start the start of the call, in terms of {@link System#nanoTime()}
     */
    CallExecution(
            Object site,
            IdempotentCall call,
            WaitBudget waitBudget,
            Invocation invocation,
            @Nullable KeyedWrite write,
            OutcomePublisher publisher,
            long start) {
        this.site = site;
        this.call = call;
        this.waitBudget = waitBudget;
        this.invocation = invocation;
        this.write = write;
        this.publisher = publisher;
        this.start = start;
        this.claimsFirst = write == null && !call.options().isOptimistic();
    }

    /** Returns the execution of this thread, whose claim is now reached. */
    static CallExecution requireCurrent(Object site, Supplier<String> description) {
        CallExecution execution = INNERMOST.get();
        if (execution == null || !execution.site.equals(site)) {
            throw new BrokenInterceptorChainException(
                    null,
                    "The claim of " + description.get()
                            + " was reached on a thread that did not come through its boundary:"
                            + " an interceptor between the two changed the thread, or the object was advised twice."
                            + " Move that interceptor outside of the transaction");
        }
        execution.requireNotProceededAgain();
        execution.claimReached = true;
        return execution;
    }

    /**
     * Throws if an interceptor would run the method a second time. If the key was claimed before the method in the same transaction,
     * it is claimed again and the response replayed, unless the method has failed.
     */
    private void requireNotProceededAgain() {
        if (claimReached && (lease != null || optimistic || failureInside != null)) {
            BrokenInterceptorChainException refused = new BrokenInterceptorChainException(
                    call.intent(),
                    "The call for the " + call.intent()
                            + " was about to run its method a second time in one attempt: an"
                            + " interceptor between the transaction and the method proceeds twice, perhaps to try it again."
                            + " Move that interceptor outside of the transaction, with an order before that of"
                            + " transactions, or remove it from this method");
            if (failureInside != null) {
                refused.addSuppressed(failureInside);
            }
            throw refused;
        }
    }

    IdempotentCall call() {
        return call;
    }

    WaitBudget waitBudget() {
        return waitBudget;
    }

    OutcomePublisher publisher() {
        return publisher;
    }

    Invocation invocation() {
        return invocation;
    }

    @Nullable KeyedWrite write() {
        return write;
    }

    /** Binds an attempt to this thread; {@link #leave()} must follow. */
    void enter() {
        beginAttempt();
        outer = INNERMOST.get();
        INNERMOST.set(this);
    }

    /** Resets the state of the attempt: the one before was rolled back, or its commit will be found by this one. */
    void beginAttempt() {
        surroundingTransaction = InterceptedTransaction.current();
        insideTransaction = TransactionSynchronizationManager.isActualTransactionActive();
        participation = Participation.NONE;
        transaction = null;
        claimReached = false;
        claimAnswered = false;
        optimistic = false;
        finishingSince = 0;
        completed = false;
        undone = false;
        committed = false;
        granted = null;
        failureInside = null;
        result = null;
        transactionEnd = CommitResult.End.NONE;
        outcome = null;
    }

    void leave() {
        if (granted != null) {
            lastGrantedAttempt = new GrantedAttempt(granted, result);
        }
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }

    /** Returns whether the key is claimed before the method or the statements. */
    boolean claimsFirst() {
        return claimsFirst;
    }

    /** Lets all further attempts claim first. */
    void claimFirst() {
        claimsFirst = true;
    }

    /** Notes that this attempt runs its method without a claim. Those after it claim first, which finds every state of the key. */
    void runsOptimistically() {
        optimistic = true;
        claimsFirst = true;
    }

    boolean isOptimistic() {
        return optimistic;
    }

    /** Notes that the row of an optimistic attempt is inserted from now on, which may wait for others. */
    void finishes() {
        finishingSince = System.nanoTime();
    }

    boolean isFinishing() {
        return finishingSince != 0;
    }

    /** Counts the time in which the row was inserted as a wait. */
    void spendFinishing() {
        waitBudget.spendSince(finishingSince);
    }

    void leaseGranted(HeldLease heldLease) {
        lease = heldLease;
        attempt = heldLease.claim().attempt();
    }

    @Nullable HeldLease lease() {
        return lease;
    }

    /** Returns the transaction that the method itself declares, or {@code null} if it declares none. */
    @Nullable TransactionStatus declaredTransaction() {
        TransactionStatus current = InterceptedTransaction.current();
        return current != null && current != surroundingTransaction && current.hasTransaction() ? current : null;
    }

    void participates(boolean inOwnTransaction, @Nullable ActiveTransaction activeTransaction) {
        transaction = activeTransaction;
        participation = inOwnTransaction ? Participation.OWN : Participation.JOINED;
    }

    /** Returns whether the transaction ends with the call, so that the call may be repeated and its failure recorded. */
    boolean startsTransaction() {
        return switch (participation) {
            case NONE -> !insideTransaction;
            case OWN -> true;
            case JOINED -> false;
        };
    }

    /**
     * Notes the result of a claim: earlier attempts are not in doubt any more. If another transaction holds the key, they still
     * are, because that may be the one of an earlier attempt, whose server process is still committing. With a row that stays, none
     * of them can commit any more.
     */
    void claimed(ClaimResult claim) {
        claimAnswered = claim.kind() != ClaimResult.Kind.IN_PROGRESS;
        if (claimAnswered && claim.kind() != ClaimResult.Kind.GRANTED_NEW) {
            mayCommitLate = false;
        }
    }

    void granted(ClaimResult claim) {
        granted = claim;
        attempt = claim.attempt();
    }

    @Nullable ClaimResult granted() {
        return granted;
    }

    /** Returns the last attempt whose claim was granted, whether or not it was committed. */
    @Nullable GrantedAttempt lastGrantedAttempt() {
        return lastGrantedAttempt;
    }

    /** Notes that the completion was written in the transaction, or will be written with its COMMIT. */
    void completedWith(@Nullable Object methodResult) {
        completed = true;
        result = methodResult;
    }

    boolean isCompleted() {
        return completed;
    }

    @Nullable Object result() {
        return result;
    }

    boolean isMethodStarted() {
        return claimReached;
    }

    /** Keeps the exception that left the claim, because interceptors and the transaction manager may replace it. */
    void failedInside(Throwable failure) {
        failureInside = failure;
    }

    Throwable firstFailureOr(Throwable thrown) {
        return failureInside == null ? thrown : failureInside;
    }

    /** Notes that a rollback to a savepoint has undone the call, even if its transaction commits. */
    void undone() {
        undone = true;
    }

    boolean isUndone() {
        return undone;
    }

    /** Notes the end of the transaction. If the call joined it, its outcome is published now. */
    void transactionEnded(CommitResult.End end, boolean isCommitted) {
        transactionEnd = end;
        committed = isCommitted && !undone;
        if (pending != null) {
            OutcomePublisher.Ended ended = pending;
            pending = null;
            publisher.ended(WITH_EFFECT.contains(ended.outcome()) && !committed ? ended.failed() : ended);
        }
    }

    CommitResult commitResult() {
        return new CommitResult(transactionEnd, failureInside, transaction);
    }

    /** Keeps the failure of an in-doubt commit until the claim of a later attempt is answered. */
    void attemptFailed(Throwable thrown) {
        if (claimAnswered) {
            inDoubtCommit = null;
        }
        if (commitResult().isInDoubt(thrown)) {
            inDoubtCommit = thrown;
            mayCommitLate |= !claimAnswered;
        }
    }

    /** Returns the failure of a commit that is still in doubt; {@code null} if there is none. */
    @Nullable Throwable inDoubtCommit() {
        return inDoubtCommit;
    }

    /**
     * Returns whether an attempt without a claim is in doubt. Its row and its COMMIT may be in a message that the server gets later, so
     * that only a row which stays can refuse it.
     */
    boolean mayCommitLate() {
        return mayCommitLate;
    }

    /**
     * Returns the exception that the caller gets. If the rollback fails too, that is the first failure: the failed rollback says
     * nothing about the call, because the server rolls back what was never committed.
     */
    Throwable exceptionForCaller(Throwable thrown) {
        if (failureInside != null && thrown != failureInside && isFailureOfRollback(thrown)) {
            failureInside.addSuppressed(thrown);
            return failureInside;
        }
        return thrown;
    }

    /** A manager that translates exceptions throws one without the application's exception in it; then the end is unknown. */
    private boolean isFailureOfRollback(Throwable thrown) {
        return thrown instanceof TransactionSystemException rollbackFailure
                ? rollbackFailure.getApplicationException() == failureInside
                : transactionEnd == CommitResult.End.UNKNOWN || transactionEnd == CommitResult.End.CONNECTION_LOST;
    }

    /** Sets the outcome that the call has if its transaction commits. */
    void setOutcome(Outcome newOutcome) {
        outcome = newOutcome;
        if (newOutcome != Outcome.LEASE_LOST && !WITH_EFFECT.contains(newOutcome)) {
            attempt = 0;
        }
    }

    /** Sets an outcome that is committed already. */
    void setDurableOutcome(Outcome committedOutcome) {
        outcome = committedOutcome;
        committed = true;
        undone = false;
    }

    /** Throws unless the result may be returned: an interceptor may have swallowed a failure or a rollback. */
    void requireAcknowledgeable() {
        requireMethodReturned();
        boolean isKept = !undone && (committed || participation != Participation.OWN);
        if (outcome != Outcome.REPLAYED && !(outcome != null && WITH_EFFECT.contains(outcome) && isKept)) {
            throw rolledBack();
        }
    }

    /** Throws if an interceptor answered in the place of the method, or swallowed its exception. */
    void requireMethodReturned() {
        if (!claimReached) {
            throw new BrokenInterceptorChainException(
                    call.intent(),
                    "The call for the " + call.intent() + " returned without its claim having been reached: an"
                            + " interceptor between the transaction and the method answered in its place. Move that"
                            + " interceptor outside of the transaction, or remove it from this method");
        }
        if (failureInside != null) {
            throw rolledBack();
        }
    }

    private TransactionFailedException rolledBack() {
        return new TransactionFailedException(
                call.intent(),
                "its transaction was rolled back: an interceptor between the transaction and the method swallowed an"
                        + " exception or marked the transaction rollback-only. Move that interceptor outside of the"
                        + " transaction");
    }

    /** Publishes the outcome when the call returns. If it joined a transaction, that is done when the transaction ends. */
    void ended(@Nullable Throwable failure) {
        OutcomePublisher.Ended ended = new OutcomePublisher.Ended(
                call.intent(), outcomeAfter(failure), attempt, Duration.ofNanos(System.nanoTime() - start), failure);
        if (participation == Participation.JOINED) {
            pending = ended;
        } else {
            publisher.ended(ended);
        }
        publisher.returns(ended);
    }

    private Outcome outcomeAfter(@Nullable Throwable failure) {
        if (outcome == null) {
            return Outcome.FAILED;
        }
        boolean hasResult = outcome == Outcome.REPLAYED || WITH_EFFECT.contains(outcome);
        return hasResult && !committed && (failure != null || undone) ? Outcome.FAILED : outcome;
    }

    /**
     * An attempt whose claim was granted.
     *
     * @param claim the result of the claim
     * @param result the result of the method; {@code null} if it has none, or has not returned
     */
    record GrantedAttempt(ClaimResult claim, @Nullable Object result) {}

    private enum Participation {
        NONE,
        OWN,
        JOINED
    }
}
