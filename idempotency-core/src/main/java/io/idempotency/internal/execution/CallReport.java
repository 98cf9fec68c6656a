package io.idempotency.internal.execution;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.Outcome;

/**
 * Sees to it that the listener learns one outcome for each call, once it is certain: when the call has ended, and the
 * transaction that it joined too.
 */
final class CallReport {

    /** Outcomes of calls that had an effect of their own, which a rollback takes back. */
    private static final Set<Outcome> WITH_EFFECT = EnumSet.of(Outcome.EXECUTED, Outcome.RETRIED, Outcome.RECOVERED);

    private final Announcement announcement;

    private final long start = System.nanoTime();

    private @Nullable Intent intent;

    private @Nullable Outcome outcome;

    private int attempt;

    private boolean ownTransaction;

    private boolean outerTransaction;

    private boolean committed;

    private boolean undone;

    private Announcement.@Nullable Ended pending;

    CallReport(Announcement announcement) {
        this.announcement = announcement;
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

    /** The key is ours: the method runs. */
    void granted(int grantedAttempt) {
        attempt = grantedAttempt;
    }

    /** What became of the call as far as it got; the commit may still fail. */
    void found(Outcome found) {
        outcome = found;
        if (found != Outcome.LEASE_LOST && !WITH_EFFECT.contains(found)) {
            attempt = 0;
        }
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

    boolean isUndone() {
        return undone;
    }

    void transactionEnded(boolean byCommit) {
        committed = byCommit && !undone;
        if (pending != null) {
            Announcement.Ended ended = pending;
            pending = null;
            announcement.ended(WITH_EFFECT.contains(ended.outcome()) && !committed ? ended.failed() : ended);
        }
    }

    /** Whether the claim answered, and what it wrote is as durable as its transaction can make it. */
    boolean isAcknowledgeable() {
        boolean isKept = !undone && (committed || !ownTransaction);
        return outcome == Outcome.REPLAYED || (outcome != null && WITH_EFFECT.contains(outcome) && isKept);
    }

    void callEnded(@Nullable Throwable failure) {
        Duration duration = Duration.ofNanos(System.nanoTime() - start);
        Announcement.Ended ended = new Announcement.Ended(intent, outcomeAfter(failure), attempt, duration, failure);
        if (outerTransaction) {
            pending = ended;
        } else {
            announcement.ended(ended);
        }
        announcement.returns(ended);
    }

    private Outcome outcomeAfter(@Nullable Throwable failure) {
        if (outcome == null) {
            return Outcome.FAILED;
        }
        boolean hasResult = outcome == Outcome.REPLAYED || WITH_EFFECT.contains(outcome);
        return hasResult && !committed && (failure != null || undone) ? Outcome.FAILED : outcome;
    }
}
