package io.idempotency.internal.execution;

import io.idempotency.FailureTranslator;
import io.idempotency.Outcome;
import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.claim.Claims;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.internal.transaction.Suppression;

/** Records how an attempt failed, after its transaction was rolled back: inside of that, nothing can be recorded. */
final class FailureRecorder {

    private final RequiresNewTransaction transactions;

    private final FailureTranslator translator;

    private final CallDefaults defaults;

    FailureRecorder(RequiresNewTransaction transactions, FailureTranslator translator, CallDefaults defaults) {
        this.transactions = transactions;
        this.translator = translator;
        this.defaults = defaults;
    }

    Failure failureOf(IdempotentCall call, Throwable thrown) {
        return new Failure(
                call.terms().isFinal(thrown),
                translator.codeOf(thrown),
                thrown.getMessage() == null ? "" : thrown.getMessage());
    }

    /** Records the failure of the last attempt of a call without a lease. */
    void record(CallExecution execution, Throwable thrown) {
        Claim.Granted claim = execution.granted();
        if (claim == null
                || !execution.startsTransaction()
                || !execution.commitResult().isRolledBack(thrown)) {
            return;
        }
        IdempotentCall call = execution.call();
        Throwable first = execution.firstFailureOr(thrown);
        boolean isFinal = call.terms().isFinal(first);
        boolean isRecorded = defaults.recordFailedAttempts() || call.claims().recordsEveryFailure();
        if (!isFinal && (!isRecorded || SqlStates.isTransient(SqlStates.of(first)))) {
            return;
        }
        PendingInterruption interruption = new PendingInterruption();
        interruption.setAside();
        try {
            boolean recorded = write(call, claim, failureOf(call, first));
            if (isFinal && recorded) {
                execution.settled(Outcome.FAILED_FINAL);
            }
        } catch (Throwable notRecorded) {
            Suppression.add(thrown, notRecorded);
        } finally {
            interruption.giveBack();
        }
    }

    private boolean write(IdempotentCall call, Claim.Granted claim, Failure failure) {
        Claims.FailureRecord failed = new Claims.FailureRecord(
                call.requestId(),
                call.intent(),
                call.fingerprint(),
                claim.attempt(),
                defaults.retentionOf(call.terms()),
                failure);
        return transactions.call(connection -> call.claims().recordFailure(connection, failed));
    }
}
