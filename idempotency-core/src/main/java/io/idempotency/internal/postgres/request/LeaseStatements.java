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

    private final String complete;

    private final String fail;

    private final String extend;

    LeaseStatements(Schema schema) {
        this.complete = schema.resolve(RequestSql.COMPLETE_LEASE);
        this.fail = schema.resolve(RequestSql.FAIL);
        this.extend = schema.resolve(RequestSql.EXTEND_LEASE);
    }

    /** Returns the bound of a statement of the holder, which waits for a transaction that takes the lease over. */
    static WaitBound boundOfHolder() {
        return WaitBound.remaining(LONGEST_WAIT_OF_HOLDER, System.nanoTime());
    }

    boolean complete(Connection connection, Completion completion) {
        return MultiStatement.updateOne(connection, "complete a claim", complete, parameters -> {
            parameters.bound(boundOfHolder());
            parameters.json(completion.responseBody());
            parameters.string(completion.resultType());
            parameters.string(completion.resultId());
            RequestColumns.bindFence(parameters, completion.fence());
        });
    }

    boolean fail(
            Connection connection, Fence fence, RequestStatus status, Failure failure, @Nullable Duration resumeAfter) {
        return MultiStatement.updateOne(connection, "record the failure of a lease", fail, parameters -> {
            RequestColumns.bindFailure(parameters, status, failure);
            parameters.duration(resumeAfter);
            RequestColumns.bindFence(parameters, fence);
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
