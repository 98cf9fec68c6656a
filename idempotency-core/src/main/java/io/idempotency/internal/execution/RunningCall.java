package io.idempotency.internal.execution;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NamedThreadLocal;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.BrokenInterceptorChainException;
import io.idempotency.TransactionFailedException;
import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.transaction.InterceptedTransaction;
import io.idempotency.internal.transaction.SqlStates;

/**
 * One execution of a call: the link between its boundary and its claim, which run on the same thread with the
 * transaction between them, and what is known about how far it got.
 */
final class RunningCall {

    private static final ThreadLocal<@Nullable RunningCall> INNERMOST = new NamedThreadLocal<>("idempotent call");

    private final Object site;

    private final IdempotentCall call;

    private final CallReport report;

    private final WaitBudget waitBudget;

    private final @Nullable HeldLease lease;

    private final @Nullable RunningCall outer;

    private final @Nullable TransactionStatus surroundingTransaction;

    private boolean startsTransaction;

    private boolean claimReached;

    private boolean claimAnswered;

    private boolean completed;

    private Claim.@Nullable Granted granted;

    private @Nullable Throwable firstFailure;

    private @Nullable Object result;

    private Phase phase = Phase.RUNNING;

    private RunningCall(
            Object site, IdempotentCall call, CallReport report, WaitBudget waitBudget, @Nullable HeldLease lease) {
        this.site = site;
        this.call = call;
        this.report = report;
        this.waitBudget = waitBudget;
        this.lease = lease;
        this.outer = INNERMOST.get();
        this.surroundingTransaction = InterceptedTransaction.current();
        this.startsTransaction = !TransactionSynchronizationManager.isActualTransactionActive();
    }

    /** Binds an execution to this thread; {@link #leave()} must follow. */
    static RunningCall enter(
            Object site, IdempotentCall call, CallReport report, WaitBudget waitBudget, @Nullable HeldLease lease) {
        RunningCall running = new RunningCall(site, call, report, waitBudget, lease);
        report.started();
        if (lease != null) {
            report.granted(lease.claim().attempt());
        }
        INNERMOST.set(running);
        return running;
    }

    /** The execution that a claim belongs to. */
    static RunningCall claiming(Object site, Supplier<String> description) {
        RunningCall running = INNERMOST.get();
        if (running == null || !running.site.equals(site)) {
            throw new BrokenInterceptorChainException(
                    null,
                    "The claim of " + description.get()
                            + " was reached on a thread that did not come through its boundary:"
                            + " an interceptor between the two changed the thread, or the object was advised twice."
                            + " Move that interceptor outside of the transaction");
        }
        running.requireNotProceededAgain();
        running.claimReached = true;
        return running;
    }

    /** A completed claim in the transaction replays to an interceptor that proceeds twice; a lease would run the method again. */
    private void requireNotProceededAgain() {
        if (claimReached && (lease != null || firstFailure != null)) {
            BrokenInterceptorChainException refused = new BrokenInterceptorChainException(
                    call.intent(),
                    "The call for the " + call.intent()
                            + " was about to run its method a second time in one attempt: an"
                            + " interceptor between the transaction and the method proceeds twice, perhaps to try it again."
                            + " Move that interceptor outside of the transaction, with an order before that of"
                            + " transactions, or remove it from this method");
            if (firstFailure != null) {
                refused.addSuppressed(firstFailure);
            }
            throw refused;
        }
    }

    void leave() {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }

    /** Nothing that the caller is told may be untrue, whatever other interceptors made of it. */
    void requireAcknowledgeable() {
        requireMethodReturned();
        if (!report.isAcknowledgeable()) {
            throw rolledBack();
        }
    }

    /** Whoever answers in the place of the method, or swallows what it threw, has no result to store. */
    void requireMethodReturned() {
        if (!claimReached) {
            throw new BrokenInterceptorChainException(
                    call.intent(),
                    "The call for the " + call.intent() + " returned without its claim having been reached: an"
                            + " interceptor between the transaction and the method answered in its place. Move that"
                            + " interceptor outside of the transaction, or remove it from this method");
        }
        if (firstFailure != null) {
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

    boolean isMethodStarted() {
        return claimReached;
    }

    IdempotentCall call() {
        return call;
    }

    CallReport report() {
        return report;
    }

    WaitBudget waitBudget() {
        return waitBudget;
    }

    @Nullable HeldLease lease() {
        return lease;
    }

    /** The transaction that the method itself declares; {@code null} if it declares none. */
    @Nullable TransactionStatus declaredTransaction() {
        TransactionStatus current = InterceptedTransaction.current();
        return current != null && current != surroundingTransaction && current.hasTransaction() ? current : null;
    }

    void inTransaction(boolean own) {
        startsTransaction = own;
        if (own) {
            report.startedTransaction();
        } else {
            report.joinedTransaction();
        }
    }

    /** Whether the transaction ends with the call, so that the call may be repeated and its failure recorded. */
    boolean startsTransaction() {
        return startsTransaction;
    }

    void claimAnswered() {
        claimAnswered = true;
    }

    /** Whether the database said what the key stands for, so that there is no doubt about earlier executions. */
    boolean isClaimAnswered() {
        return claimAnswered;
    }

    void granted(Claim.Granted claim) {
        granted = claim;
    }

    Claim.@Nullable Granted granted() {
        return granted;
    }

    void completedWith(@Nullable Object methodResult) {
        completed = true;
        result = methodResult;
    }

    /** Whether the completion was written in the transaction, whatever became of that. */
    boolean isCompleted() {
        return completed;
    }

    @Nullable Object result() {
        return result;
    }

    /** What left the claim, before the transaction made something else of it. */
    void failedInside(Throwable failure) {
        firstFailure = failure;
    }

    @Nullable Throwable firstFailure() {
        return firstFailure;
    }

    Throwable firstFailureOr(Throwable thrown) {
        return firstFailure == null ? thrown : firstFailure;
    }

    /**
     * What the caller is to get. A rollback that fails because the connection is gone hides why it was rolled back, and
     * has nothing to say: what was never committed is gone.
     */
    Throwable revealed(Throwable thrown) {
        if (firstFailure != null && thrown != firstFailure && isFailureOfRollback(thrown)) {
            firstFailure.addSuppressed(thrown);
            return firstFailure;
        }
        return thrown;
    }

    /** Transaction managers that translate exceptions throw others, which do not know what they hide. */
    private boolean isFailureOfRollback(Throwable thrown) {
        return thrown instanceof TransactionSystemException rollbackFailure
                ? rollbackFailure.getApplicationException() == firstFailure
                : phase == Phase.UNKNOWN;
    }

    void transactionEnded(Phase end) {
        phase = end;
    }

    Phase phase() {
        return phase;
    }

    /**
     * Whether everything that the execution wrote is gone for certain. A failure inside never lets a commit be sent, and
     * a server that says why it refuses one has rolled back.
     */
    boolean isRolledBack(Throwable thrown) {
        return switch (phase) {
            case COMMITTED -> false;
            case RUNNING -> firstFailure != null;
            case ROLLED_BACK, UNKNOWN -> !isCommitUnanswered(thrown);
        };
    }

    /**
     * Whether COMMIT was asked for and nobody said what became of it. A JPA transaction is called rolled back even then.
     */
    boolean isCommitUnanswered(Throwable thrown) {
        if (firstFailure != null) {
            return false;
        }
        String sqlState = SqlStates.of(thrown);
        return switch (phase) {
            case UNKNOWN -> !SqlStates.isAnswer(sqlState);
            case ROLLED_BACK -> SqlStates.isConnectionLost(sqlState);
            case RUNNING, COMMITTED -> false;
        };
    }

    /** How far the transaction got. */
    enum Phase {

        /** Not ended, as far as anybody told. */
        RUNNING,

        COMMITTED,

        ROLLED_BACK,

        /** Commit or rollback was asked for, and nobody answered. */
        UNKNOWN
    }
}
