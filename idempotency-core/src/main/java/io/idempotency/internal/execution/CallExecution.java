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
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.InterceptedTransaction;

/**
 * The execution of a call, from its boundary to the end of its transaction: the one object that changes meanwhile. It links
 * the boundary to the claim, which runs on the same thread inside the transaction, and may go through several attempts, of
 * which it tells the last one, if a method does not say otherwise.
 */
final class CallExecution {

    private static final ThreadLocal<@Nullable CallExecution> INNERMOST = new NamedThreadLocal<>("idempotent call");

    /** Outcomes of calls that had an effect of their own, which a rollback takes back. */
    private static final Set<Outcome> WITH_EFFECT = EnumSet.of(Outcome.EXECUTED, Outcome.RETRIED, Outcome.RECOVERED);

    private final Object site;

    private final IdempotentCall call;

    private final WaitBudget waitBudget;

    private final Invocation invocation;

    private final OutcomePublisher publisher;

    private final long start;

    private @Nullable CallExecution outer;

    private @Nullable HeldLease lease;

    // Of the last attempt

    private @Nullable TransactionStatus surroundingTransaction;

    private boolean insideTransaction;

    private Participation participation = Participation.NONE;

    private boolean claimReached;

    private boolean claimAnswered;

    private boolean completed;

    private boolean undone;

    private boolean committed;

    private @Nullable ClaimResult granted;

    private @Nullable Throwable failureInside;

    private @Nullable Object result;

    private CommitResult.End transactionEnd = CommitResult.End.NONE;

    private @Nullable Outcome outcome;

    // Of all attempts

    private int attempt;

    private @Nullable Handled handled;

    private @Nullable Throwable inDoubtCommit;

    private OutcomePublisher.@Nullable Ended pending;

    /**
     * Creates the execution of a call.
     *
     * @param site tells calls of one method from those of others that it makes
     * @param call key, payload and options
     * @param waitBudget how long it may wait for others
     * @param invocation the transaction with the claim and the method in it; may be proceeded several times
     * @param publisher learns the outcome
     * @param start when the call came, in terms of {@link System#nanoTime()}
     */
    CallExecution(
            Object site,
            IdempotentCall call,
            WaitBudget waitBudget,
            Invocation invocation,
            OutcomePublisher publisher,
            long start) {
        this.site = site;
        this.call = call;
        this.waitBudget = waitBudget;
        this.invocation = invocation;
        this.publisher = publisher;
        this.start = start;
    }

    /** Returns the execution that a claim on this thread belongs to. */
    static CallExecution claiming(Object site, Supplier<String> description) {
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

    /** A completed claim in the transaction replays to an interceptor that proceeds twice; a lease would run the method again. */
    private void requireNotProceededAgain() {
        if (claimReached && (lease != null || failureInside != null)) {
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

    /** Binds an attempt to this thread; {@link #leave()} must follow. */
    void enter() {
        beginAttempt();
        outer = INNERMOST.get();
        INNERMOST.set(this);
    }

    /** Begins an attempt: what the one before found was rolled back, or is about to be found again. */
    void beginAttempt() {
        surroundingTransaction = InterceptedTransaction.current();
        insideTransaction = TransactionSynchronizationManager.isActualTransactionActive();
        participation = Participation.NONE;
        claimReached = false;
        claimAnswered = false;
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
            handled = new Handled(granted, result);
        }
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }

    /** The method runs under a lease from now on. */
    void holds(HeldLease held) {
        lease = held;
        attempt = held.claim().attempt();
    }

    @Nullable HeldLease lease() {
        return lease;
    }

    /** Returns the transaction that the method itself declares, or {@code null} if it declares none. */
    @Nullable TransactionStatus declaredTransaction() {
        TransactionStatus current = InterceptedTransaction.current();
        return current != null && current != surroundingTransaction && current.hasTransaction() ? current : null;
    }

    void participates(boolean inOwnTransaction) {
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

    /** The database has said what the key stands for, so that there is no doubt about earlier attempts. */
    void claimAnswered() {
        claimAnswered = true;
    }

    void granted(ClaimResult claim) {
        granted = claim;
        attempt = claim.attempt();
    }

    @Nullable ClaimResult granted() {
        return granted;
    }

    /** Returns the last claim that was granted, whatever became of it, with the result of its method. */
    @Nullable Handled handled() {
        return handled;
    }

    /** The completion was written in the transaction. */
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

    /** An exception left the claim, before the transaction makes something else of it. */
    void failedInside(Throwable failure) {
        failureInside = failure;
    }

    Throwable firstFailureOr(Throwable thrown) {
        return failureInside == null ? thrown : failureInside;
    }

    /** A rollback to a savepoint took the call back, whatever becomes of the transaction. */
    void undone() {
        undone = true;
    }

    boolean isUndone() {
        return undone;
    }

    /** The transaction has ended; a call that joined it learns only now what became of it. */
    void transactionEnded(CommitResult.End end, boolean isKept) {
        transactionEnd = end;
        committed = isKept && !undone;
        if (pending != null) {
            OutcomePublisher.Ended ended = pending;
            pending = null;
            publisher.ended(WITH_EFFECT.contains(ended.outcome()) && !committed ? ended.failed() : ended);
        }
    }

    CommitResult commitResult() {
        return new CommitResult(transactionEnd, failureInside);
    }

    /** Remembers a COMMIT without an answer until a claim is answered. */
    void attemptFailed(Throwable thrown) {
        if (claimAnswered) {
            inDoubtCommit = null;
        }
        if (commitResult().isInDoubt(thrown)) {
            inDoubtCommit = thrown;
        }
    }

    /** Returns the failure of a COMMIT of which nobody has said yet what became of it. */
    @Nullable Throwable inDoubtCommit() {
        return inDoubtCommit;
    }

    /**
     * Returns what the caller is to get. A rollback that fails because the connection is lost hides why it was rolled back, and
     * tells nothing: what was never committed is gone.
     */
    Throwable revealed(Throwable thrown) {
        if (failureInside != null && thrown != failureInside && isFailureOfRollback(thrown)) {
            failureInside.addSuppressed(thrown);
            return failureInside;
        }
        return thrown;
    }

    /** Transaction managers that translate exceptions throw others, which do not know what they hide. */
    private boolean isFailureOfRollback(Throwable thrown) {
        return thrown instanceof TransactionSystemException rollbackFailure
                ? rollbackFailure.getApplicationException() == failureInside
                : transactionEnd == CommitResult.End.UNKNOWN;
    }

    /** Says what became of the call as far as it got; the commit may still fail. */
    void found(Outcome found) {
        outcome = found;
        if (found != Outcome.LEASE_LOST && !WITH_EFFECT.contains(found)) {
            attempt = 0;
        }
    }

    /** Says what became of the call for good: it was committed apart from the method's own transaction. */
    void settled(Outcome settled) {
        outcome = settled;
        committed = true;
        undone = false;
    }

    /** Refuses to tell the caller of a success that is none, whatever other interceptors made of it. */
    void requireAcknowledgeable() {
        requireMethodReturned();
        boolean isKept = !undone && (committed || participation != Participation.OWN);
        if (outcome != Outcome.REPLAYED && !(outcome != null && WITH_EFFECT.contains(outcome) && isKept)) {
            throw rolledBack();
        }
    }

    /** Refuses the result of an interceptor that answers in the place of the method, or swallows what it threw. */
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

    /** The call returns to its caller; if it joined a transaction, the end of that decides on the outcome. */
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
     * A claim that was granted, and the result of its method.
     *
     * @param claim that was granted
     * @param result of the method; {@code null} if it has none, or the method has not returned
     */
    record Handled(ClaimResult claim, @Nullable Object result) {}

    private enum Participation {
        NONE,
        OWN,
        JOINED
    }
}
