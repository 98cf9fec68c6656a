package io.idempotency.internal.call.attempt;

import java.time.Duration;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.internal.call.wait.WaitBudget;

import static java.util.Objects.requireNonNull;

/** One execution of a call: what holds for all of its attempts, and what each attempt leaves to the next. */
public final class CallExecution {

    private final IdempotentCall call;

    private final CallParts parts;

    private final WaitBudget waitBudget;

    private final Effect effect;

    private final @Nullable Function<CallExecution, TransactionalAttempt> firstAttempt;

    private final OutcomePublisher publisher;

    private final long start;

    private boolean claimsFirst;

    private int attemptNumber;

    private @Nullable Attempt last;

    private @Nullable Attempt lastGranted;

    private @Nullable Throwable inDoubtCommit;

    private boolean mayCommitLate;

    private @Nullable Ended pending;

    /**
     * Creates the execution of a call.
     *
     * @param firstAttempt creates the first attempt; {@code null} for the attempts of the call's mode
     */
    public CallExecution(
            IdempotentCall call,
            CallParts parts,
            WaitBudget waitBudget,
            Effect effect,
            @Nullable Function<CallExecution, TransactionalAttempt> firstAttempt,
            OutcomePublisher publisher,
            long start) {
        this.call = call;
        this.parts = parts;
        this.waitBudget = waitBudget;
        this.effect = effect;
        this.firstAttempt = firstAttempt;
        this.publisher = publisher;
        this.start = start;
    }

    public IdempotentCall call() {
        return call;
    }

    CallParts parts() {
        return parts;
    }

    public WaitBudget waitBudget() {
        return waitBudget;
    }

    public Effect effect() {
        return effect;
    }

    public @Nullable Function<CallExecution, TransactionalAttempt> firstAttempt() {
        return firstAttempt;
    }

    /** Creates an attempt that claims the key before the method runs. */
    public TransactionalAttempt claimingAttempt() {
        return call.attempts().apply(this);
    }

    public OutcomePublisher publisher() {
        return publisher;
    }

    /** Begins an attempt. The one before was rolled back, or this one finds what it has committed. */
    public <A extends Attempt> A begin(A attempt) {
        last = attempt;
        return attempt;
    }

    /** Returns the last attempt, which may be one that only asks for what others have stored. */
    public Attempt last() {
        return requireNonNull(last);
    }

    /** Returns whether the last attempt has found or stored an answer for repeats, which may be rolled back. */
    public boolean hasAnswer() {
        return last != null && last.hasStoredAnswer();
    }

    /** Returns whether all further attempts claim the key first. */
    public boolean claimsFirst() {
        return claimsFirst;
    }

    /** Lets all further attempts claim first, which finds every state of the key. */
    public void claimFirst() {
        claimsFirst = true;
    }

    /** Keeps the number of the attempt that a claim has granted. */
    public void setAttemptNumber(int number) {
        attemptNumber = number;
    }

    /** Keeps an attempt whose claim was granted in its transaction. */
    void setLastGranted(Attempt attempt) {
        lastGranted = attempt;
    }

    /** Notes that no method ran, so that the number of the attempt tells nothing. */
    void hasNoEffect() {
        attemptNumber = 0;
    }

    /** Returns the last attempt whose claim was granted, whether or not it was committed; {@code null} if there was none. */
    public @Nullable Attempt lastGranted() {
        return lastGranted;
    }

    /** Notes that no earlier attempt can commit any more, because the key has a row that stays. */
    void cannotCommitLate() {
        mayCommitLate = false;
    }

    /** Keeps the failure of an in-doubt commit until the claim of a later attempt is answered. */
    public void failed(Attempt attempt, Throwable thrown) {
        if (attempt.isClaimAnswered()) {
            inDoubtCommit = null;
        }
        if (attempt.commitResult().isInDoubt(thrown)) {
            inDoubtCommit = thrown;
            mayCommitLate |= !attempt.isClaimAnswered();
        }
    }

    /** Returns the failure of a commit that is still in doubt; {@code null} if there is none. */
    public @Nullable Throwable inDoubtCommit() {
        return inDoubtCommit;
    }

    /**
     * Returns whether an attempt without a claim is in doubt. Its row and its COMMIT may be in a message that the server gets later, so
     * that only a row which stays can refuse it.
     */
    public boolean mayCommitLate() {
        return mayCommitLate;
    }

    /** Publishes the outcome when the call returns. If it joined a transaction, that is done when the transaction ends. */
    public void ended(@Nullable Throwable failure) {
        Ended ended = new Ended(
                call.intent(),
                last == null ? Outcome.FAILED : last.outcomeAfter(failure),
                attemptNumber,
                Duration.ofNanos(System.nanoTime() - start),
                failure,
                last);
        if (last != null && last.isJoined()) {
            pending = ended;
        } else {
            publisher.ended(ended);
        }
        publisher.returns(ended);
    }

    /** Publishes the outcome of a call that has returned before its transaction has ended. */
    void transactionEnded(Attempt attempt) {
        if (pending != null) {
            Ended ended = pending;
            pending = null;
            publisher.ended(Attempt.hasEffect(ended.outcome()) && !attempt.isCommitted() ? ended.failed() : ended);
        }
    }

    /**
     * The end of a call.
     *
     * @param intent the intent; {@code null} if binding failed
     * @param attempt the number of the attempt that ran; 0 if none did
     * @param failure the exception that the caller got; {@code null} if it got a result
     * @param last the last attempt; {@code null} if none was begun
     */
    public record Ended(
            @Nullable Intent intent,
            Outcome outcome,
            int attempt,
            Duration duration,
            @Nullable Throwable failure,
            @Nullable Attempt last) {

        public Ended failed() {
            return new Ended(intent, Outcome.FAILED, attempt, duration, failure, last);
        }
    }
}
