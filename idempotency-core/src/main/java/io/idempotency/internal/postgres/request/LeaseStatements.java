package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;
import io.idempotency.internal.transaction.SqlStates;

/** The statements of the holder of a lease, which change nothing if another call has taken the lease over. */
final class LeaseStatements {

    /** Long enough for a server that is loaded: after a shorter wait, effects that are made would be given up. */
    private static final Duration LONGEST_WAIT_OF_HOLDER = Duration.ofSeconds(30);

    /** The wait of a holder whose caller gets its exception in any case. */
    private static final Duration SHORT_WAIT_OF_HOLDER = Duration.ofSeconds(2);

    private final String complete;

    private final String completeResumable;

    private final String fail;

    private final String failResumable;

    private final String extend;

    private final String extendAndCommit;

    private final @Nullable ResumptionScheduler scheduler;

    LeaseStatements(Schema schema, @Nullable ResumptionScheduler scheduler) {
        this.scheduler = scheduler;
        String completing = RequestSql.changingOne(RequestSql.COMPLETE_LEASE);
        this.complete = schema.resolve(WaitBound.around(completing));
        this.completeResumable = scheduler == null
                ? complete
                : schema.resolve(WaitBound.around(completing + ";\n" + scheduler.cancellation()));
        String failing = RequestSql.changingOne(RequestSql.FAIL);
        this.fail = schema.resolve(MultiStatement.transaction(WaitBound.around(failing)));
        this.failResumable = scheduler == null
                ? fail
                : schema.resolve(MultiStatement.transaction(WaitBound.around(failing + ";\n" + scheduler.failure())));
        this.extend = schema.resolve(RequestSql.EXTEND_LEASE);
        this.extendAndCommit = MultiStatement.transaction(extend);
    }

    /** Returns the bound of a statement of the holder, which waits for a transaction that takes the lease over. */
    static WaitBound boundOfHolder() {
        return WaitBound.remaining(LONGEST_WAIT_OF_HOLDER, System.nanoTime());
    }

    /** A final failure may be told only if no other transaction takes the lease over. */
    private static WaitBound boundOfFailure(Failure failure) {
        return failure.isFinal() ? boundOfHolder() : WaitBound.remaining(SHORT_WAIT_OF_HOLDER, System.nanoTime());
    }

    boolean complete(Connection connection, Completion completion) {
        return complete(connection, completion, completing(completion));
    }

    /** Completes the lease with the COMMIT of the transaction, or fails if it is not held. */
    void completeWithCommit(Connection connection, Completion completion) {
        String sql = completing(completion) + MultiStatement.COMMIT;
        try {
            execute(connection, sql, parameters -> bind(parameters, completion));
        } catch (SQLException failure) {
            throw SqlFailures.translate("complete a claim and commit", sql, failure);
        }
    }

    boolean completeAndCommit(Connection connection, Completion completion) {
        return complete(connection, completion, MultiStatement.transaction(completing(completion)));
    }

    private boolean complete(Connection connection, Completion completion, String sql) {
        return changeIfHeld(connection, "complete a claim", sql, parameters -> bind(parameters, completion));
    }

    private String completing(Completion completion) {
        return isResumable(completion) ? completeResumable : complete;
    }

    private boolean isResumable(Completion completion) {
        return scheduler != null && completion.fence().resumableFor() != null;
    }

    private void bind(StatementParameters parameters, Completion completion) throws SQLException {
        parameters.bound(boundOfHolder());
        parameters.json(completion.responseBody());
        parameters.string(completion.resultType());
        parameters.string(completion.resultId());
        RequestColumns.bindFence(parameters, completion.fence());
        if (isResumable(completion)) {
            RequestColumns.bindMessage(parameters, completion.fence());
        }
    }

    private static void execute(Connection connection, String sql, MultiStatement.Binding binding) throws SQLException {
        try (MultiStatement statements = MultiStatement.prepare(connection, sql)) {
            binding.bind(statements.parameters());
            statements.execute();
        }
    }

    /** Returns {@code false} if the lease is not held, so that nothing is changed, and an open transaction can only be rolled back. */
    private static boolean changeIfHeld(
            Connection connection, String task, String sql, MultiStatement.Binding binding) {
        try {
            execute(connection, sql, binding);
            return true;
        } catch (SQLException failure) {
            if (SqlStates.isNotAsRequired(failure.getSQLState())) {
                return false;
            }
            throw SqlFailures.translate(task, sql, failure);
        }
    }

    boolean fail(
            Connection connection, Fence fence, RequestStatus status, Failure failure, @Nullable Duration resumeAfter) {
        Duration kept = fence.resumableFor();
        String sql = kept == null ? fail : failResumable;
        return changeIfHeld(connection, "record the failure of a lease", sql, parameters -> {
            parameters.bound(boundOfFailure(failure));
            RequestColumns.bindFailure(parameters, status, failure);
            parameters.duration(status == RequestStatus.FAILED_RETRYABLE ? Duration.ZERO : null);
            parameters.duration(resumeAfter == null ? null : Duration.ZERO);
            RequestColumns.bindFence(parameters, fence);
            if (kept != null && scheduler != null) {
                String ended = status == RequestStatus.PROCESSING ? "dead" : "sent";
                parameters.string(resumeAfter == null ? ended : "pending");
                parameters.string(failure.code() + (failure.message().isEmpty() ? "" : ": " + failure.message()));
                parameters.duration(resumeAfter == null ? kept : resumeAfter);
                RequestColumns.bindMessage(parameters, fence);
            }
        });
    }

    boolean extendAndCommit(Connection connection, Fence fence, Duration duration) {
        try {
            return extend(connection, fence, duration, boundOfHolder(), extendAndCommit);
        } catch (SQLException failure) {
            throw SqlFailures.translate("extend a lease", extendAndCommit, failure);
        }
    }

    /** Extends the lease of a claim, which translates failures itself. */
    boolean extend(Connection connection, Fence fence, Duration duration, WaitBound bound, boolean commits)
            throws SQLException {
        return extend(connection, fence, duration, bound, commits ? extendAndCommit : extend);
    }

    private static boolean extend(Connection connection, Fence fence, Duration duration, WaitBound bound, String sql)
            throws SQLException {
        try (MultiStatement statements = MultiStatement.prepare(connection, sql)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(bound);
            parameters.duration(duration);
            parameters.duration(duration);
            parameters.duration(duration);
            RequestColumns.bindFence(parameters, fence);
            return statements.update() == 1;
        }
    }
}
