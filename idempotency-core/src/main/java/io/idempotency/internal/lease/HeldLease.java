package io.idempotency.internal.lease;

import java.sql.Connection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.LeaseLostException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RequestStatus;
import io.idempotency.internal.call.attempt.ResumedCall;
import io.idempotency.internal.call.wait.RetryAfter;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.transaction.CertainWrite;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.internal.transaction.Suppression;
import io.idempotency.internal.transaction.WriteEnd;

/** The lease that a call holds: its claim is committed, and its method runs or is about to run. */
final class HeldLease {

    private final Object database;

    private final ClaimResult claim;

    private final Fence fence;

    private final ClaimStore store;

    private final RequiresNewTransaction transactions;

    private final CertainWrite writes;

    private final LeaseTerm term;

    private final Map<String, RecordedStep> steps = new LinkedHashMap<>();

    /** True while a step may be recorded that is not among {@link #steps}. */
    private boolean stepsInDoubt;

    /** The lease of an earlier attempt of the key that still runs in this JVM; {@code null} if none does. */
    private @Nullable HeldLease earlier;

    /**
     * Starts the lease of a claim that was just granted.
     *
     * @param database the database of the call
     */
    HeldLease(
            Object database,
            ClaimResult claim,
            Fence fence,
            LeaseTerm term,
            List<RecordedStep> steps,
            ClaimStore store,
            RequiresNewTransaction transactions,
            CertainWrite writes) {
        this.database = database;
        this.claim = claim;
        this.fence = fence;
        this.store = store;
        this.transactions = transactions;
        this.writes = writes;
        this.term = term;
        steps.forEach(step -> this.steps.put(step.name(), step));
    }

    /** Puts this lease before those of earlier attempts. */
    HeldLease onTopOf(@Nullable HeldLease latest) {
        earlier = latest;
        return this;
    }

    /** Returns the latest of these leases but for one that has ended; {@code null} if there is no other. */
    @Nullable HeldLease removing(HeldLease ended) {
        if (this == ended) {
            return earlier;
        }
        if (earlier != null) {
            earlier = earlier.removing(ended);
        }
        return this;
    }

    ClaimResult claim() {
        return claim;
    }

    Object database() {
        return database;
    }

    Intent intent() {
        return fence.key().intent();
    }

    Fence fence() {
        return fence;
    }

    LeaseTerm term() {
        return term;
    }

    /**
     * Notes the connection of the method's transaction, on which the completion will be written. Its isolation level is read before
     * the method: later the question would wait for the method's statement, also if another thread extends the lease. The driver
     * begins no transaction for it.
     */
    void setMethodConnection(Connection connection) {
        term.conflictsWithSnapshot(LeaseRenewal.hasSnapshot(connection));
    }

    /** Returns the remaining time by this JVM's clock, which only suggests when to retry: the database's clock decides. */
    Duration remaining() {
        return term.remaining();
    }

    boolean isHeld() {
        return isSettledAs(RequestStatus.PROCESSING);
    }

    /** Asks on the connection of the method's transaction: when the pool is exhausted, there is no other one. */
    boolean isHeld(Connection connection) {
        return store.findWithoutLock(connection, fence)
                .filter(request -> request.isClaimedBy(fence))
                .filter(request -> request.status() == RequestStatus.PROCESSING)
                .isPresent();
    }

    LeaseLostException lost() {
        return new LeaseLostException(intent(), claim.attempt());
    }

    /** Returns the exception for a lost lease, which the failure has told of. */
    LeaseLostException lostAfter(Throwable failure) {
        LeaseLostException lost = lost();
        Suppression.add(lost, failure);
        return lost;
    }

    OutcomeUnknownException outcomeUnknown(String reason, Throwable cause) {
        return new OutcomeUnknownException(intent(), RetryAfter.of(remaining()), reason, cause);
    }

    /** Returns the exception for a wait that has ended before the transaction that it was for: that may take the lease, or roll back. */
    OutcomeUnknownException takeoverInDoubt(Throwable failure) {
        return outcomeUnknown(
                "another transaction has locked its row, such as one that takes its lease over, and has not ended in time."
                        + " Repeat this call with the same key: it gets the response of the call that has taken the key over,"
                        + " or takes it over itself when the lease has expired",
                failure);
    }

    /**
     * Completes the claim in a transaction of its own. If the lease is lost, the message of the call is kept, which has the same token if
     * an operator lets the call be resumed that was given up.
     */
    WriteEnd<RequestStatus> complete(Completion completion) {
        RequestStatus status = RequestStatus.SUCCEEDED;
        return writes.send(
                storing(status, connection -> store.completeAndCommit(connection, completion)), stored(status));
    }

    /** Records a failure in a transaction of its own. Nothing depends on one that a repeat has to forget. */
    WriteEnd<RequestStatus> fail(ResumedCall.End failed) {
        RequestStatus status = failed.status();
        return writes.send(
                storing(status, connection -> failed.record(store, connection, fence)),
                failed.isForgotten() ? Optional::empty : stored(status));
    }

    /** Returns a question that finds the status of the claim, if it has this one. */
    private CertainWrite.Try<Optional<RequestStatus>> stored(RequestStatus status) {
        return () -> settledStatus().filter(status::equals);
    }

    /** Returns a message that has its COMMIT, and that the fence refuses if the lease is lost. */
    private <T> CertainWrite.Try<Optional<T>> storing(T stored, Predicate<Connection> message) {
        return () -> transactions.commit(message::test) ? Optional.of(stored) : Optional.empty();
    }

    /** Returns whether the claim has this status, also if another try must find out. */
    boolean isStoredAs(RequestStatus status) throws Throwable {
        return writes.untilAnswered(() -> isSettledAs(status));
    }

    /** Returns what became of the COMMIT of a method's transaction, which has stored the response of this call if it has succeeded. */
    WriteEnd<ClaimResult> endOfCompletion(CommitResult commit, Throwable failure) {
        return writes.ask(commit, failure, () -> answerOf(findSettled().orElseThrow(this::lost)));
    }

    /** Returns the stored answer of this call; empty if there is none, or if another call has reclaimed the key. */
    Optional<ClaimResult> storedAnswer() throws Throwable {
        return writes.untilAnswered(this::findSettled).flatMap(HeldLease::answerOf);
    }

    private static Optional<ClaimResult> answerOf(StoredRequest request) {
        if (request.status() != RequestStatus.SUCCEEDED) {
            return Optional.empty();
        }
        String body = request.responseBody();
        return Optional.of(
                body == null ? ClaimResult.of(ClaimResult.Kind.RESPONSE_EXPIRED) : ClaimResult.succeeded(body));
    }

    private boolean isSettledAs(RequestStatus status) {
        return settledStatus().filter(status::equals).isPresent();
    }

    /** Returns the status; empty if the lease is lost. */
    private Optional<RequestStatus> settledStatus() {
        return findSettled().map(StoredRequest::status);
    }

    /** Returns the row; empty if another call has claimed it since. Waits for a server process that is still committing. */
    private Optional<StoredRequest> findSettled() {
        return transactions
                .call(connection -> store.findSettled(connection, fence))
                .filter(request -> request.isClaimedBy(fence));
    }

    /** Returns whether the completion, or the record of a step, would fail if another transaction changed the row now. */
    boolean conflictsWithSnapshot() {
        return term.conflictsWithSnapshot();
    }

    /** Extends the lease, again if the answer is lost. Returns {@code false} if another call has reclaimed it. */
    boolean extend(Duration duration) throws Throwable {
        long extended = System.nanoTime() + duration.toNanos();
        boolean held = isDone(writes.send(
                storing(duration, connection -> store.extendLease(connection, fence, duration)), Optional::empty));
        if (held) {
            term.lasts(extended);
        }
        return held;
    }

    /** Returns whether a write is stored, and {@code false} if the lease is lost. */
    private boolean isDone(WriteEnd<?> end) throws Throwable {
        return switch (end.kind()) {
            case STORED -> true;
            case LOST -> false;
            case LOCKED -> throw takeoverInDoubt(end.failure());
            case REFUSED, UNKNOWN -> throw end.failure();
        };
    }

    /** Extends a lease that was not renewed, and may have expired. Returns {@code false} if another call has reclaimed it. */
    boolean ensure() throws Throwable {
        return term.isLongerThanHalf() || extend(term.duration());
    }

    /** Returns the steps that this attempt and those before it have recorded, by their names. */
    Map<String, RecordedStep> steps() throws Throwable {
        if (stepsInDoubt) {
            writes.untilAnswered(() -> boundedly(this::findSettledSteps)).forEach(step -> steps.put(step.name(), step));
            stepsInDoubt = false;
        }
        return steps;
    }

    /** Records a step, in a transaction of its own. Returns {@code false} if the lease is lost. */
    boolean record(RecordedStep step) throws Throwable {
        stepsInDoubt = true;
        boolean recorded = isDone(writes.send(
                storing(step, connection -> store.recordStepAndCommit(connection, fence, step)),
                () -> findSettledStep(step)));
        if (recorded) {
            recorded(step);
        }
        return recorded;
    }

    /** Records a step in an open transaction, which has to be committed before {@link #recorded} is called. */
    boolean record(Connection connection, RecordedStep step) {
        stepsInDoubt = true;
        return boundedly(() -> store.recordStep(connection, fence, step));
    }

    /** Notes that a step is recorded. */
    void recorded(RecordedStep step) {
        steps.put(step.name(), step);
        stepsInDoubt = false;
    }

    /** Returns what became of the COMMIT of a step's transaction, which has recorded the step if it has succeeded. */
    WriteEnd<RecordedStep> endOfStep(CommitResult commit, Throwable failure, RecordedStep step) {
        return writes.ask(commit, failure, () -> findSettledStep(step));
    }

    private Optional<RecordedStep> findSettledStep(RecordedStep step) {
        return findSettledSteps().stream().filter(step::equals).findFirst();
    }

    /**
     * Returns the stored steps of this attempt. Waits for a server process that is still committing one.
     *
     * @throws LeaseLostException if another call has reclaimed the key
     */
    private List<RecordedStep> findSettledSteps() {
        return transactions.call(connection -> store.findSettled(connection, fence)
                .filter(request -> request.isClaimedBy(fence))
                .map(request -> store.findSteps(connection, fence))
                .orElseThrow(this::lost));
    }

    private <T> T boundedly(Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException failure) {
            throw SqlStates.isWaitEnded(SqlStates.of(failure)) ? takeoverInDoubt(failure) : failure;
        }
    }
}
