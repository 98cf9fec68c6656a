package io.idempotency.internal.execution;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.transaction.CommitResult;
import io.idempotency.internal.transaction.Suppression;

import static java.util.Objects.requireNonNull;

/** The transaction of a step that is recorded in it. */
final class StepTransaction implements TransactionSynchronization, Ordered {

    private final HeldLease lease;

    private @Nullable Connection connection;

    private @Nullable RecordedStep step;

    private @Nullable Object result;

    private CommitResult.End end = CommitResult.End.NONE;

    StepTransaction(HeldLease lease) {
        this.lease = lease;
    }

    void setConnection(Connection transactionConnection) {
        connection = transactionConnection;
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
        end = lease.endOf(status, connection);
    }

    boolean isCommitted() {
        return end == CommitResult.End.COMMITTED;
    }

    /** Returns whether the step is recorded, although an exception was thrown. */
    boolean isRecordedDespite(Throwable thrown) {
        if (step == null || isCommitted()) {
            return step != null;
        }
        try {
            return new CommitResult(end, null).isInDoubt(thrown) && lease.isRecorded(step);
        } catch (Throwable queryFailure) {
            Suppression.add(thrown, queryFailure);
            return false;
        }
    }

    RecordedStep step() {
        return requireNonNull(step);
    }

    @Nullable Object result() {
        return result;
    }
}
