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

    private final @Nullable ResumptionScheduler scheduler;

    LeaseStatements(Schema schema, @Nullable ResumptionScheduler scheduler) {
        this.scheduler = scheduler;
        this.complete = schema.resolve(WaitBound.around(RequestSql.COMPLETE_LEASE));
        this.completeResumable = scheduler == null
                ? complete
                : schema.resolve(WaitBound.around(RequestSql.COMPLETE_LEASE + ";\n" + scheduler.cancellation()));
        this.fail = schema.resolve(WaitBound.around(RequestSql.FAIL));
        this.failResumable = scheduler == null
                ? fail
                : schema.resolve(WaitBound.around(RequestSql.FAIL + ";\n" + scheduler.failure()));
        this.extend = schema.resolve(RequestSql.EXTEND_LEASE);
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
        boolean isResumable = scheduler != null && completion.fence().resumableFor() != null;
        String sql = isResumable ? completeResumable : complete;
        return MultiStatement.updateOne(connection, "complete a claim", sql, parameters -> {
            parameters.bound(boundOfHolder());
            parameters.json(completion.responseBody());
            parameters.string(completion.resultType());
            parameters.string(completion.resultId());
            RequestColumns.bindFence(parameters, completion.fence());
            if (isResumable) {
                RequestColumns.bindMessage(parameters, completion.fence());
            }
        });
    }

    boolean fail(
            Connection connection, Fence fence, RequestStatus status, Failure failure, @Nullable Duration resumeAfter) {
        Duration kept = fence.resumableFor();
        String sql = kept == null ? fail : failResumable;
        return MultiStatement.updateOne(connection, "record the failure of a lease", sql, parameters -> {
            parameters.bound(boundOfFailure(failure));
            RequestColumns.bindFailure(parameters, status, failure);
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

    boolean extend(Connection connection, Fence fence, Duration duration) {
        try {
            return extend(connection, fence, duration, boundOfHolder());
        } catch (SQLException failure) {
            throw SqlFailures.translate("extend a lease", extend, failure);
        }
    }

    /** Extends the lease of a claim, which translates failures itself. */
    boolean extend(Connection connection, Fence fence, Duration duration, WaitBound bound) throws SQLException {
        try (MultiStatement statements = MultiStatement.prepare(connection, extend)) {
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
