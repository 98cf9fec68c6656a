package io.idempotency.execution;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;

/**
 * Sees to it that the listener learns one outcome for each call, once it is certain: when the call has ended, and the
 * transaction that it joined too.
 */
final class CallReport {

    /** Outcomes of calls that had an effect of their own, which a rollback takes back. */
    private static final Set<Outcome> WITH_EFFECT = EnumSet.of(Outcome.EXECUTED, Outcome.RETRIED, Outcome.RECOVERED);

    private final IdempotencyListener listener;

    private final String scope;

    private final long start = System.nanoTime();

    private @Nullable Intent intent;

    private @Nullable Outcome outcome;

    private boolean ownTransaction;

    private boolean outerTransaction;

    private boolean committed;

    private boolean undone;

    private @Nullable CallCompleted pending;

    CallReport(IdempotencyListener listener, String scope) {
        this.listener = listener;
        this.scope = scope;
    }

    void bound(Intent boundIntent) {
        intent = boundIntent;
    }

    /** Another execution begins: what the one before it found was rolled back, or is about to be found again. */
    void started() {
        outcome = null;
        ownTransaction = false;
        outerTransaction = false;
        committed = false;
        undone = false;
    }

    /** What became of the call as far as it got; the commit may still fail. */
    void found(Outcome found) {
        outcome = found;
    }

    /** What became of the call for good: it was committed apart from the method's own transaction. */
    void settled(Outcome settled) {
        outcome = settled;
        committed = true;
        undone = false;
    }

    void startedTransaction() {
        ownTransaction = true;
    }

    void joinedTransaction() {
        outerTransaction = true;
    }

    /** A rollback to a savepoint took the call back, whatever becomes of the transaction. */
    void undone() {
        undone = true;
    }

    void transactionEnded(boolean byCommit) {
        committed = byCommit && !undone;
        if (pending != null) {
            CallCompleted event = pending;
            pending = null;
            listener.callCompleted(
                    WITH_EFFECT.contains(event.outcome()) && !committed ? withOutcome(event, Outcome.FAILED) : event);
        }
    }

    /** Whether the claim answered, and what it wrote is as durable as its transaction can make it. */
    boolean isAcknowledgeable() {
        boolean isKept = !undone && (committed || !ownTransaction);
        return outcome == Outcome.REPLAYED || (outcome != null && WITH_EFFECT.contains(outcome) && isKept);
    }

    void callEnded(@Nullable Throwable failure) {
        Duration duration = Duration.ofNanos(System.nanoTime() - start);
        CallCompleted event = new CallCompleted(scope, intent, outcomeAfter(failure), duration, failure);
        if (outerTransaction) {
            pending = event;
        } else {
            listener.callCompleted(event);
        }
    }

    private Outcome outcomeAfter(@Nullable Throwable failure) {
        if (outcome == null) {
            return Outcome.FAILED;
        }
        boolean hasResult = outcome == Outcome.REPLAYED || WITH_EFFECT.contains(outcome);
        return hasResult && !committed && (failure != null || undone) ? Outcome.FAILED : outcome;
    }

    private static CallCompleted withOutcome(CallCompleted event, Outcome outcome) {
        return new CallCompleted(event.scope(), event.intent(), outcome, event.duration(), event.failure());
    }
}
