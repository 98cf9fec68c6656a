package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;

/** The statements of the steps of leased calls. */
final class StepStatements {

    private final String record;

    private final String recordAndCommit;

    private final String find;

    StepStatements(Schema schema) {
        this.record = schema.resolve(RequestSql.RECORD_STEP);
        this.recordAndCommit = MultiStatement.transaction(record);
        this.find = schema.resolve(RequestSql.FIND_STEPS);
    }

    boolean record(Connection connection, Fence fence, RecordedStep step, boolean commits) {
        Failure failure = step.failure();
        String sql = commits ? recordAndCommit : record;
        return MultiStatement.updateOne(connection, "record a step", sql, parameters -> {
            parameters.bound(LeaseStatements.boundOfHolder());
            parameters.string(step.name());
            parameters.integer(fence.attempt());
            parameters.string(step.responseBody());
            parameters.string(failure == null ? null : failure.code());
            parameters.string(failure == null ? null : failure.message());
            RequestColumns.bindFence(parameters, fence);
            parameters.string(step.name());
        });
    }

    List<RecordedStep> find(Connection connection, Fence fence) {
        try (PreparedStatement statement = connection.prepareStatement(find)) {
            RequestColumns.bindId(new StatementParameters(statement), fence.requestId(), fence.caller());
            List<RecordedStep> steps = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    steps.add(map(rows));
                }
            }
            return steps;
        } catch (SQLException failed) {
            throw SqlFailures.translate("find the steps of a request", find, failed);
        }
    }

    private static RecordedStep map(ResultSet row) throws SQLException {
        String name = row.getString("name");
        String failureCode = row.getString("failure_code");
        return failureCode == null
                ? RecordedStep.succeeded(name, row.getString("response"))
                : RecordedStep.failed(name, new Failure(true, failureCode, row.getString("failure_message")));
    }
}
