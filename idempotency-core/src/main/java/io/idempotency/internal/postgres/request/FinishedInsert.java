package io.idempotency.internal.postgres.request;

import java.sql.SQLException;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/**
 * The statement that inserts the row of a finished call, which has claimed nothing before.
 *
 * @param sql the statement alone
 * @param withCommit the same, followed by the COMMIT
 */
record FinishedInsert(String sql, String withCommit) {

    FinishedInsert(Schema schema) {
        this(
                schema.resolve(RequestSql.INSERT_FINISHED),
                schema.resolve(RequestSql.INSERT_FINISHED + RequestSql.COMMIT));
    }

    void bind(StatementParameters parameters, ClaimRequest request, Completion completion, String claimedBy)
            throws SQLException {
        ClaimInsert.bindRow(
                parameters, request, claimedBy, WaitBound.remaining(request.waitLimit(), System.nanoTime()));
        parameters.json(completion.responseBody());
        parameters.duration(request.responseRetention());
        parameters.string(completion.resultType());
        parameters.string(completion.resultId());
    }
}
