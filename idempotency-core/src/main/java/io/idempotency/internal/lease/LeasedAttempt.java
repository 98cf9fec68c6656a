package io.idempotency.internal.lease;

import java.sql.Connection;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;

import io.idempotency.LeaseLostException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RequestStatus;
import io.idempotency.internal.call.RetryClassifier;
import io.idempotency.internal.call.attempt.Attempt;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.CallSynchronization;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.transaction.ActiveTransaction;
import io.idempotency.internal.transaction.CommitGuard;
import io.idempotency.internal.transaction.JoinedTransaction;
import io.idempotency.internal.transaction.RowWithCommit;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.internal.transaction.TransactionState;
import io.idempotency.internal.transaction.WriteEnd;

/**
 * An attempt to run the method under a lease, whose claim is committed already. The completion is part of the transaction that the
 * method declares. If it declares none, the completion is a transaction of its own. It is fenced, so that a call whose lease was
 * reclaimed by another call cannot complete it.
 */
final class LeasedAttempt extends Attempt {

    private final HeldLease held;

    private final LeaseRenewal renewal;

    /**
     * Set if the method has returned and its completion may be stored. If that remains unknown, the lease keeps the key until it
     * expires, so that no other call repeats the effect immediately.
     */
    private boolean completionStarted;

    /** Set if the completion is in the message of the COMMIT, which the server may get after its connection was lost. */
    private boolean completesWithCommit;

    LeasedAttempt(CallExecution execution, HeldLease held, LeaseRenewal renewal) {
        super(execution);
        this.held = held;
        this.renewal = renewal;
    }

    boolean isCompletionStarted() {
        return completionStarted;
    }

    /** A lost lease is another call's, also if this one learns it only after a COMMIT without an answer. */
    boolean isRetryable(Throwable failure) {
        return !completionStarted
                && !(failure instanceof LeaseLostException)
                && (call().options().lease().isRetried() || !isMethodStarted())
                && RetryClassifier.isRetryable(this, failure);
    }

    /** Returns whether the server may still get the COMMIT, which was not answered, together with the completion. */
    boolean mayCommitLate(Throwable failure) {
        return completesWithCommit && commitResult().isInDoubt(failure);
    }

    @Nullable Object make() throws Throwable {
        try {
            Object result = execution().effect().within(this::runMethodIn);
            if (isCompleted()) {
                requireAcknowledgeable();
            } else {
                completeAfterwards(result);
            }
            return result;
        } catch (Throwable thrown) {
            Optional<ClaimResult> stored = findInDoubt(thrown);
            if (stored.isPresent()) {
                return answerStored(stored.get());
            }
            if (completesWithCommit && thrown instanceof RuntimeException refused && isPerhapsLost(refused)) {
                requireHeldDespite(refused);
            }
            throw exceptionForCaller(thrown);
        }
    }

    private @Nullable Object runMethodIn(@Nullable TransactionStatus declared) throws Throwable {
        return declared == null
                ? keepingFailure(() -> runWithSteps(held::isHeld))
                : inTransaction(declared, this::runAndComplete);
    }

    private @Nullable Object runAndComplete(JoinedTransaction transaction) throws Throwable {
        CallSynchronization synchronization = CallSynchronization.register(transaction, this);
        return transaction.withConnection(call().intent(), connection -> {
            synchronization.setConnection(connection);
            held.setMethodConnection(connection);
            Object result = runWithSteps(() -> held.isHeld(connection));
            transaction.requireCommittable(call().intent(), connection, TransactionState.ENDED);
            complete(transaction, connection, completionOf(held.fence(), result));
            CommitGuard.register(connection, transaction.holder());
            completedWith(held.claim(), result);
            return result;
        });
    }

    private @Nullable Object runWithSteps(BooleanSupplier isHeld) throws Throwable {
        // The method's transaction may have waited for its connection for longer than the lease.
        if (held.remaining().isZero() && !isHeld.getAsBoolean()) {
            throw held.lost();
        }
        renewal.begin(held);
        CallSteps steps = new CallSteps(execution(), held, parts(), renewal);
        try {
            Object result = runMethod(new LeasedContext(call(), held, steps));
            steps.requireAllReached();
            return result;
        } finally {
            steps.ended();
        }
    }

    /** Completes the lease with the COMMIT of the method's transaction, or before it if the manager may do something in between. */
    private void complete(JoinedTransaction transaction, Connection connection, Completion completion) {
        ActiveTransaction active = ActiveTransaction.find(transaction.holder());
        completesWithCommit = active != null
                && active.commitWith(new RowWithCommit(
                        call().intent(), connection, () -> parts().store().completeWithCommit(connection, completion)));
        if (!completesWithCommit) {
            completeBeforeCommit(connection, completion);
        }
    }

    private void completeBeforeCommit(Connection connection, Completion completion) {
        boolean isCompleted;
        try {
            isCompleted = parts().store().complete(connection, completion);
        } catch (RuntimeException failure) {
            if (isPerhapsLost(failure)) {
                requireHeldDespite(failure);
            }
            throw failure;
        }
        if (!isCompleted) {
            throw held.lost();
        }
    }

    /**
     * Returns whether another transaction has to find out whether the lease is lost. If the method's transaction has a snapshot and the
     * row has changed since, PostgreSQL reports a serialization failure, and if the row is locked for too long, the end of the wait.
     */
    private static boolean isPerhapsLost(RuntimeException failure) {
        String sqlState = SqlStates.of(failure);
        return SqlStates.isNotAsRequired(sqlState)
                || SqlStates.isSerializationFailure(sqlState)
                || SqlStates.isWaitEnded(sqlState);
    }

    /** Asks again if the answer is lost, unless the method's transaction is still open. */
    private void requireHeldDespite(RuntimeException failure) {
        boolean isHeld;
        try {
            isHeld = completesWithCommit ? held.isStoredAs(RequestStatus.PROCESSING) : held.isHeld();
        } catch (Throwable queryFailure) {
            failure.addSuppressed(queryFailure);
            throw SqlStates.isWaitEnded(SqlStates.of(queryFailure)) ? held.takeoverInDoubt(failure) : failure;
        }
        if (!isHeld) {
            throw held.lostAfter(failure);
        }
    }

    private void completeAfterwards(@Nullable Object result) throws Throwable {
        Completion completion = completionOf(held.fence(), result);
        completionStarted = true;
        WriteEnd<RequestStatus> end = held.complete(completion);
        Throwable failure = switch (end.kind()) {
            case STORED -> null;
            case REFUSED -> end.failure();
            case LOST -> held.lost();
            case LOCKED -> held.takeoverInDoubt(end.failure());
            case UNKNOWN -> outcomeUnknown(end.failure());
        };
        if (failure != null) {
            throw failure;
        }
    }

    private OutcomeUnknownException outcomeUnknown(Throwable failure) {
        return held.outcomeUnknown(
                "its method has returned, and the database could not be asked whether its completion is stored. Repeat"
                        + " this call with the same key: it replays what was stored, and takes the key over when its"
                        + " lease has expired if nothing was",
                failure);
    }

    /** The fence is that of the whole call, so that what is stored may be the response of an earlier attempt that is in doubt too. */
    private @Nullable Object answerStored(ClaimResult stored) throws Exception {
        if (execution().inDoubtCommit() == null) {
            return result();
        }
        Object response = answer(stored, true);
        execution().setAttemptNumber(held.claim().attempt());
        return response;
    }

    /** Returns the answer that is stored if the COMMIT was not answered; empty if none is. */
    private Optional<ClaimResult> findInDoubt(Throwable thrown) {
        if (!isCompleted()) {
            return Optional.empty();
        }
        WriteEnd<ClaimResult> end = held.endOfCompletion(commitResult(), thrown);
        return switch (end.kind()) {
            case STORED -> Optional.of(end.result());
            case REFUSED -> Optional.empty();
            case LOST -> throw held.lostAfter(thrown);
            case LOCKED, UNKNOWN -> {
                completionStarted = true;
                throw outcomeUnknown(thrown);
            }
        };
    }
}
