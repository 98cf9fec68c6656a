package io.idempotency.internal.lease;

import java.sql.Connection;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Intent;
import io.idempotency.LeaseLostException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.internal.call.attempt.CallParts;
import io.idempotency.internal.call.attempt.Invocation;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.transaction.ActiveTransaction;
import io.idempotency.internal.transaction.CommitGuard;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.TransactionState;
import io.idempotency.internal.transaction.WriteEnd;

import static java.util.Objects.requireNonNull;

/** The transaction of a step that is recorded in it. */
final class StepTransaction implements TransactionSynchronization, Ordered {

    private final HeldLease lease;

    private @Nullable ActiveTransaction transaction;

    private @Nullable Connection connection;

    private @Nullable Connection driver;

    private @Nullable RecordedStep step;

    private @Nullable Object result;

    private CommitResult.End end = CommitResult.End.NONE;

    StepTransaction(HeldLease lease) {
        this.lease = lease;
    }

    /** Runs the step in a new transaction, and records it there. */
    void run(
            CallParts parts,
            Intent intent,
            LeaseRenewal.Pause pause,
            Invocation work,
            Consumer<@Nullable Object> record)
            throws Throwable {
        parts.transactions()
                .call(
                        intent,
                        null,
                        joined -> joined.withConnection(intent, open -> {
                            transaction = ActiveTransaction.find(joined.holder());
                            connection = open;
                            pause.begun(open);
                            driver = CommitResult.driverOf(open);
                            TransactionSynchronizationManager.registerSynchronization(this);
                            Object returned = work.proceed();
                            joined.requireCommittable(intent, open, TransactionState.ENDED);
                            record.accept(returned);
                            CommitGuard.register(open, joined.holder());
                            return null;
                        }));
    }

    /** Records the step, as long as the lease is held. */
    boolean record(RecordedStep returned, @Nullable Object resultOfStep) {
        step = returned;
        result = resultOfStep;
        return lease.record(requireNonNull(connection), returned);
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void afterCompletion(int status) {
        end = CommitResult.after(status, connection, driver);
    }

    /**
     * Returns whether the step is recorded, although an exception was thrown.
     *
     * @throws LeaseLostException if another call has reclaimed the key, so that it finds out
     * @throws OutcomeUnknownException if its COMMIT remains in doubt
     */
    boolean isRecordedDespite(Throwable thrown) {
        if (step == null || isCommitted()) {
            return step != null;
        }
        WriteEnd<RecordedStep> record = lease.endOfStep(new CommitResult(end, null, transaction), thrown, step);
        return switch (record.kind()) {
            case STORED -> true;
            case REFUSED -> false;
            case LOST -> throw lease.lostAfter(thrown);
            case LOCKED, UNKNOWN ->
                throw lease.outcomeUnknown(
                        "the COMMIT of its step '" + step.name()
                                + "' was not answered, and the database could not be asked"
                                + " whether the step is recorded. Repeat this call with the same key: it goes on with the"
                                + " steps that are recorded",
                        thrown);
        };
    }

    boolean isCommitted() {
        return end == CommitResult.End.COMMITTED;
    }

    RecordedStep step() {
        return requireNonNull(step);
    }

    @Nullable Object result() {
        return result;
    }
}
