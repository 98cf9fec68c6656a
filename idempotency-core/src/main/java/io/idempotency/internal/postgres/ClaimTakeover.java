package io.idempotency.internal.postgres;

import java.sql.SQLException;

import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.codec.ResponseMapper;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/**
 * Takes a key over whose last attempt has failed or whose lease is over. It clears whatever that has left in the row, so that
 * the row is what a new one would be, but for the number of the attempt and the time of the first.
 *
 * @param sql the statement, with its wait bound
 */
record ClaimTakeover(String sql) {

    /** The attempt number fences: of all who found the same row one wins, the others look again. */
    private static final String UPDATE = WaitBound.around("""
            update {schema}.idempotency_request
            set request_hash = ?, hash_version = ?, status = ?, response_body = ?,
                result_ref_type = null, result_ref_id = null, failure_code = null, failure_message = null,
                claimed_by = ?, claim_token = ?, claimed_at = t.now,
                locked_until = t.now + cast(? as float8) * interval '1 millisecond',
                attempt_count = attempt_count + 1, updated_at = t.now,
                expires_at = t.now + cast(? as float8) * interval '1 millisecond',
                response_expires_at = t.now + cast(? as float8) * interval '1 millisecond'
            from (select clock_timestamp() as now) t
            where request_id = ? and attempt_count = ?
                and (status = 'failed_retryable' or (status = 'processing' and locked_until <= t.now))""");

    ClaimTakeover(Schema schema) {
        this(schema.resolve(UPDATE));
    }

    void bind(StatementParameters parameters, ClaimRequest request, int attempt, String claimedBy, WaitBound bound)
            throws SQLException {
        parameters.bound(bound);
        IdempotencyRequestTable.bindFingerprint(parameters, request.fingerprint());
        parameters.string(
                StatusColumn.textOf(request.completeAtOnce() ? RequestStatus.SUCCEEDED : RequestStatus.PROCESSING));
        parameters.json(request.completeAtOnce() ? ResponseMapper.NULL_BODY : null);
        parameters.string(claimedBy);
        parameters.uuid(request.lease() == null ? null : request.lease().token());
        parameters.duration(request.lease() == null ? null : request.lease().duration());
        parameters.duration(request.retention());
        parameters.duration(request.responseRetention());
        parameters.uuid(request.id());
        parameters.integer(attempt);
    }
}
