package io.idempotency.internal.postgres.request;

import java.sql.SQLException;

import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;
import io.idempotency.internal.response.ResponseMapper;

/**
 * The statement that reclaims a key whose last attempt has failed or whose lease has expired.
 *
 * @param sql the statement, with its wait bound
 */
record Reclaim(String sql) {

    Reclaim(Schema schema) {
        this(schema.resolve(RequestSql.RECLAIM));
    }

    void bind(StatementParameters parameters, ClaimRequest request, int attempt, String claimedBy, WaitBound bound)
            throws SQLException {
        parameters.bound(bound);
        RequestParameters.bindFingerprint(parameters, request.fingerprint());
        parameters.string(
                StatusColumn.textOf(request.completeAtOnce() ? RequestStatus.SUCCEEDED : RequestStatus.PROCESSING));
        parameters.json(request.completeAtOnce() ? ResponseMapper.NULL_BODY : null);
        parameters.string(claimedBy);
        parameters.uuid(request.lease() == null ? null : request.lease().token());
        parameters.duration(request.lease() == null ? null : request.lease().duration());
        parameters.duration(request.retention());
        parameters.duration(request.responseRetention());
        RequestParameters.bindId(parameters, request.id(), request.intent().caller());
        parameters.integer(attempt);
    }
}
