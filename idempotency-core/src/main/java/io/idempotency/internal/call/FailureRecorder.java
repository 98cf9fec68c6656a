package io.idempotency.internal.call;

import io.idempotency.FailureTranslator;
import io.idempotency.Outcome;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RecordedFailureException;
import io.idempotency.StepsChangedException;
import io.idempotency.internal.call.attempt.Attempt;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.RepeatRequestedException;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.transaction.PendingInterruption;
import io.idempotency.internal.transaction.RepeatableFailure;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.internal.transaction.Suppression;

/** Records the failure of an attempt in a new transaction, after the attempt's own was rolled back. */
public final class FailureRecorder {

    private final RequiresNewTransaction transactions;

    private final FailureTranslator translator;

    public FailureRecorder(RequiresNewTransaction transactions, FailureTranslator translator) {
        this.transactions = transactions;
        this.translator = translator;
    }

    /**
     * Returns the failure. The failure of a recorded step is as final as the step's. Changed steps are not final, because other code
     * may go on after them. Nor is an unknown outcome, after which a repeat may.
     */
    public Failure failureOf(IdempotentCall call, Throwable thrown) {
        if (thrown instanceof RecordedFailureException ofStep
                && ofStep.intent().filter(call.intent()::equals).isPresent()) {
            return new Failure(true, ofStep.code(), ofStep.recordedMessage());
        }
        return new Failure(
                isFinal(call, thrown) && !(thrown instanceof StepsChangedException) && !isUnknown(call, thrown),
                translator.codeOf(thrown),
                thrown.getMessage() == null ? "" : thrown.getMessage());
    }

    private static boolean isUnknown(IdempotentCall call, Throwable thrown) {
        return thrown instanceof OutcomeUnknownException unknown
                && unknown.intent().filter(call.intent()::equals).isPresent();
    }

    private static boolean isFinal(IdempotentCall call, Throwable thrown) {
        return call.options().isFinal(thrown) && !(thrown instanceof RepeatRequestedException);
    }

    /**
     * Records the failure of the last attempt of a call without a lease, unless another attempt has answered for the key.
     *
     * @return {@code false} if the failure is final, but another attempt has kept it from being recorded
     */
    boolean record(CallExecution execution, Throwable thrown) {
        Attempt last = execution.last();
        ClaimResult claim = last.grant();
        return claim == null
                || !last.startsTransaction()
                || !last.commitResult().isRolledBack(thrown)
                || recordAs(claim.attempt(), last, thrown);
    }

    /** Records the failure under another number, because other attempts have failed since. */
    boolean recordAs(int number, Attempt attempt, Throwable thrown) {
        IdempotentCall call = attempt.call();
        Throwable firstFailure = attempt.firstFailureOr(thrown);
        boolean isFinal = isFinal(call, firstFailure);
        if (!isFinal && (!attempt.recordsEveryFailure() || RepeatableFailure.isTransient(firstFailure))) {
            return true;
        }
        PendingInterruption interruption = new PendingInterruption();
        interruption.save();
        try {
            boolean isRecorded = write(attempt, number, failureOf(call, firstFailure));
            if (isRecorded && isFinal) {
                attempt.setDurableOutcome(Outcome.FAILED_FINAL);
            }
            return isRecorded || !isFinal;
        } catch (Throwable recordingFailure) {
            Suppression.add(thrown, recordingFailure);
            return !(isFinal && SqlStates.isWaitEnded(SqlStates.of(recordingFailure)));
        } finally {
            interruption.restore();
        }
    }

    /**
     * Leaves a row that refuses the row of an earlier attempt, if the server gets that later. It has the failure of the last attempt,
     * unless that failure is the COMMIT without an answer.
     *
     * @return {@code false} if the key has a row already
     */
    boolean leaveRow(CallExecution execution, Throwable thrown) {
        IdempotentCall call = execution.call();
        Throwable firstFailure = execution.last().firstFailureOr(thrown);
        Failure failure = execution.inDoubtCommit() == null
                ? failureOf(call, firstFailure)
                : new Failure(false, translator.codeOf(firstFailure), "The COMMIT was not answered");
        boolean isLeft = write(execution.last(), 1, failure);
        if (isLeft && failure.isFinal()) {
            execution.last().setDurableOutcome(Outcome.FAILED_FINAL);
        }
        return isLeft;
    }

    private boolean write(Attempt attempt, int number, Failure failure) {
        return transactions.commit(connection -> attempt.recordFailure(connection, number, failure));
    }
}
