package io.idempotency.internal.call.attempt;

import java.sql.Connection;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyContextHolder;
import io.idempotency.Outcome;
import io.idempotency.TransactionFailedException;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.transaction.ActiveTransaction;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.JoinedTransactions;

/**
 * The state of one attempt to answer a call: of its claim, its method and its transaction. Each attempt has a new one, so that nothing
 * in it is of an attempt before. The kinds of attempts that run a method extend it; all that others need is to ask what is stored.
 */
public class Attempt {

    /** The outcomes of calls whose method ran, so that a rollback undoes an effect. */
    private static final Set<Outcome> WITH_EFFECT = EnumSet.of(Outcome.EXECUTED, Outcome.RETRIED, Outcome.RECOVERED);

    private final CallExecution execution;

    private final boolean isInsideTransaction = TransactionSynchronizationManager.isActualTransactionActive();

    private Participation participation = Participation.NONE;

    private @Nullable ActiveTransaction transaction;

    private boolean claimAnswered;

    private @Nullable ClaimResult grant;

    private boolean methodStarted;

    private @Nullable Throwable failureInside;

    private boolean completed;

    private @Nullable Object result;

    private boolean undone;

    private CommitResult.End transactionEnd = CommitResult.End.NONE;

    private boolean committed;

    private @Nullable Outcome outcome;

    public Attempt(CallExecution execution) {
        this.execution = execution;
    }

    public final CallExecution execution() {
        return execution;
    }

    public final IdempotentCall call() {
        return execution.call();
    }

    public final CallParts parts() {
        return execution.parts();
    }

    /** Claims the key of the call. */
    public ClaimResult claim(Connection connection, ClaimRequest request) {
        return parts().store().claim(connection, request);
    }

    /** Returns the response to the result of a claim, or throws the exception that the caller gets. */
    public final @Nullable Object handle(ClaimResult claim, boolean mayRetryInNewTransaction, Granted onGrant)
            throws Throwable {
        return claim.isGranted() ? onGrant.run(claim) : answer(claim, mayRetryInNewTransaction);
    }

    /** Returns the response to the result of a claim that was not granted, or throws the exception that the caller gets. */
    public @Nullable Object answer(ClaimResult claim, boolean mayRetryInNewTransaction) throws Exception {
        return new ClaimResultHandler(this, mayRetryInNewTransaction).answer(claim);
    }

    /** Works in the transaction that the method declares; without one, in the open transaction or in a new one. */
    public final @Nullable Object inTransaction(@Nullable TransactionStatus declared, JoinedTransactions.Body body)
            throws Throwable {
        return parts().transactions()
                .call(
                        call().intent(),
                        declared,
                        joined -> keepingFailure(() -> {
                            participation = joined.isOwn() ? Participation.OWN : Participation.JOINED;
                            return body.in(joined);
                        }));
    }

    /** Keeps the exception of the work apart from an exception of the commit, which may have succeeded. */
    public final @Nullable Object keepingFailure(Invocation work) throws Throwable {
        try {
            return work.proceed();
        } catch (Throwable failure) {
            failureInside = failure;
            throw failure;
        }
    }

    /** Runs the method. */
    public final @Nullable Object runMethod(CallContext context) throws Throwable {
        methodStarted = true;
        IdempotencyContext outer = IdempotencyContextHolder.exchange(context);
        try {
            return execution.effect().run();
        } finally {
            IdempotencyContextHolder.exchange(outer);
        }
    }

    public final Completion completionOf(Fence fence, @Nullable Object methodResult) {
        IdempotentCall call = call();
        if (call.hasResponse() && parts().responses().asksForRepeat(methodResult, call.responseType())) {
            throw new RepeatRequestedException(call.intent(), methodResult);
        }
        IdempotentCall.ResultNaming naming = call.resultNaming();
        return new Completion(
                fence,
                call.hasResponse()
                        ? parts().responses()
                                .write(
                                        call.intent(),
                                        methodResult,
                                        call.responseType(),
                                        call.options().lossyResponse())
                        : ResponseMapper.NULL_BODY,
                naming == null ? null : naming.type(),
                naming == null ? null : naming.id(methodResult));
    }

    /** Notes what the manager tells of the transaction of this attempt. */
    final void participates(@Nullable ActiveTransaction activeTransaction) {
        transaction = activeTransaction;
    }

    final boolean isJoined() {
        return participation == Participation.JOINED;
    }

    /** Returns whether the transaction ends with the call, so that the call may be repeated and its failure recorded. */
    public final boolean startsTransaction() {
        return switch (participation) {
            case NONE -> !isInsideTransaction;
            case OWN -> true;
            case JOINED -> false;
        };
    }

    /**
     * Notes the result of a claim: earlier attempts are not in doubt any more. If another transaction holds the key, they still
     * are, because that may be the one of an earlier attempt, whose server process is still committing. With a row that stays, none
     * of them can commit any more.
     */
    public final void claimed(ClaimResult claim) {
        claimAnswered = claim.kind() != ClaimResult.Kind.IN_PROGRESS;
        if (claimAnswered && claim.kind() != ClaimResult.Kind.GRANTED_NEW) {
            execution.cannotCommitLate();
        }
    }

    final boolean isClaimAnswered() {
        return claimAnswered;
    }

    public final void setGrant(ClaimResult claim) {
        grant = claim;
        execution.setAttemptNumber(claim.attempt());
        execution.setLastGranted(this);
    }

    /** Returns the claim that has granted the key in the transaction of this attempt; {@code null} if none has. */
    public final @Nullable ClaimResult grant() {
        return grant;
    }

    public final boolean isMethodStarted() {
        return methodStarted;
    }

    /** Notes that the completion was written in the transaction, or will be written with its COMMIT. */
    public final void completedWith(ClaimResult claim, @Nullable Object methodResult) {
        completed = true;
        result = methodResult;
        outcome = claim.outcome();
    }

    public final boolean isCompleted() {
        return completed;
    }

    public final @Nullable Object result() {
        return result;
    }

    public final Throwable firstFailureOr(Throwable thrown) {
        return failureInside == null ? thrown : failureInside;
    }

    /** Notes that a rollback to a savepoint has undone the call, even if its transaction commits. */
    final void undone() {
        undone = true;
    }

    final boolean isUndone() {
        return undone;
    }

    /** Notes the end of the transaction. If the call joined it, its outcome is published now. */
    public final void transactionEnded(CommitResult.End end, boolean isCommitted) {
        transactionEnd = end;
        committed = isCommitted && !undone;
        execution.transactionEnded(this);
    }

    final boolean isCommitted() {
        return committed;
    }

    public final CommitResult commitResult() {
        return new CommitResult(transactionEnd, failureInside, transaction);
    }

    /**
     * Returns the exception that the caller gets. If the rollback fails too, that is the first failure: the failed rollback says
     * nothing about the call, because the server rolls back what was never committed.
     */
    public final Throwable exceptionForCaller(Throwable thrown) {
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
    public final void setOutcome(Outcome newOutcome) {
        outcome = newOutcome;
        if (newOutcome != Outcome.LEASE_LOST && !hasEffect(newOutcome)) {
            execution.hasNoEffect();
        }
    }

    /** Sets an outcome that is committed already. */
    public final void setDurableOutcome(Outcome committedOutcome) {
        outcome = committedOutcome;
        committed = true;
        undone = false;
    }

    /** Throws unless the result may be returned: a manager may have rolled back without an exception. */
    public final void requireAcknowledgeable() {
        boolean isKept = !undone && (committed || participation != Participation.OWN);
        if (outcome != Outcome.REPLAYED && !(outcome != null && hasEffect(outcome) && isKept)) {
            throw new TransactionFailedException(
                    call().intent(),
                    "its transaction was rolled back without an exception: something has marked it rollback-only while it was"
                            + " being committed");
        }
    }

    /** Returns whether the answer of this attempt is stored for repeats, unless it is rolled back. */
    protected boolean hasStoredAnswer() {
        return outcome != null;
    }

    /** Returns whether failures that are not final are recorded. */
    public boolean recordsEveryFailure() {
        return parts().settings().recordFailedAttempts();
    }

    /**
     * Records the failure of an attempt after its rollback, and commits.
     *
     * @return {@code false} if nothing was recorded, because another attempt has changed the row
     */
    public boolean recordFailure(Connection connection, int number, Failure failure) {
        return parts().store()
                .recordFailure(
                        connection,
                        new ClaimStore.FailureRecord(
                                call().key(),
                                number,
                                call().options().retention().ofKey(),
                                failure));
    }

    final Outcome outcomeAfter(@Nullable Throwable failure) {
        if (outcome == null) {
            return Outcome.FAILED;
        }
        boolean hasResult = outcome == Outcome.REPLAYED || hasEffect(outcome);
        return hasResult && !committed && (failure != null || undone) ? Outcome.FAILED : outcome;
    }

    static boolean hasEffect(Outcome outcome) {
        return WITH_EFFECT.contains(outcome);
    }

    /** Runs a call whose key was granted. */
    @FunctionalInterface
    public interface Granted {

        /** Returns the result of the method. */
        @Nullable Object run(ClaimResult granted) throws Throwable;
    }

    private enum Participation {
        NONE,
        OWN,
        JOINED
    }
}
