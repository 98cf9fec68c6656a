package io.idempotency.postgres;

import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.RequestStatus;
import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.Completion;

/**
 * What takes a key, and what stores its response. Their parameters are the same in the same order, wherever that is.
 *
 * <p>In its row a response takes an update of what the claim has inserted. In a table of its own it takes an insert, and the
 * claim says beforehand that there will be one: until it is there, its row is what a row in processing without a lease is.
 *
 * @param claim inserts the row
 * @param claimAgain takes the row over
 * @param complete stores the response
 * @param completeAndCommit the same together with the COMMIT, for claims without a lease; {@code null} where all have one
 * @param saysWhereResponseIs whether the claim does
 */
record ClaimStatements(
        String claim,
        String claimAgain,
        String complete,
        @Nullable String completeAndCommit,
        boolean saysWhereResponseIs) {

    private static final String CLAIM = WaitBound.restoredWithin("""
            insert into {schema}.idempotency_request (
                request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version,
                status, response_body, claimed_by, claim_token, claimed_at, locked_until,
                attempt_count, created_at, updated_at, expires_at, {response_time})
            select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, t.now, t.now + cast(? as bigint) * interval '1 millisecond',
                   1, t.now, t.now, t.now + ? * interval '1 millisecond',
                   t.now + cast(? as bigint) * interval '1 millisecond'
            from (select clock_timestamp() as now, {restore}) t
            on conflict (request_id) do nothing""");

    /** The attempt number fences: of all who found the same row one wins, the others look again. */
    private static final String CLAIM_AGAIN = WaitBound.around("""
            update {schema}.idempotency_request
            set request_hash = ?, hash_version = ?, status = ?, response_body = ?,
                result_ref_type = null, result_ref_id = null, failure_code = null, failure_message = null,
                claimed_by = ?, claim_token = ?, claimed_at = t.now,
                locked_until = t.now + cast(? as bigint) * interval '1 millisecond',
                attempt_count = attempt_count + 1, updated_at = t.now,
                expires_at = t.now + ? * interval '1 millisecond',
                {response_time} = t.now + cast(? as bigint) * interval '1 millisecond'
            from (select clock_timestamp() as now) t
            where request_id = ? and attempt_count = ?
                and (status = 'failed_retryable' or (status = 'processing' and locked_until <= t.now))""");

    private static final String RESPONSE_TIME = "{response_time}";

    /** The fence of a claim without a lease is its transaction, which nobody else can be in. */
    private static final String FENCE = """

                and attempt_count = ?
                and claim_token is not distinct from cast(? as uuid)""";

    static final String HELD_BY_FENCE = "\nwhere request_id = ? and status = 'processing'" + FENCE;

    private static final String COMPLETE = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = ?, result_ref_type = ?, result_ref_id = ?,
                response_kept_until = null, locked_until = null, updated_at = clock_timestamp()""" + HELD_BY_FENCE;

    private static final String INSERT_RESPONSE = """
            insert into {schema}.idempotency_response (
                request_id, expires_at, response_body, result_ref_type, result_ref_id)
            """;

    /**
     * What is there already was completed already. The row is locked, because whoever committed in his middle may meet an
     * operator, who locks it too: of a completion and a decision the later one finds the other.
     */
    private static final String COMPLETE_IN_TABLE = INSERT_RESPONSE + """
            select request_id, response_kept_until, cast(? as json), ?, ?
            from {schema}.idempotency_request
            where request_id = ? and status = 'succeeded' and response_kept_until is not null""" + FENCE + """

            for share
            on conflict do nothing""";

    /** Who could change the row is the only one to write behind it, whatever an earlier key has left there. */
    private static final String COMPLETE_IN_TABLE_AFTER_LEASE = """
            with response as (
                select cast(? as json) as body, cast(? as text) as ref_type, cast(? as text) as ref_id),
            completed as (
                update {schema}.idempotency_request
                set status = 'succeeded', response_kept_until = coalesce(response_expires_at, expires_at),
                    response_expires_at = null, locked_until = null, updated_at = clock_timestamp()""" + HELD_BY_FENCE + """

                returning request_id, response_kept_until)
            """ + INSERT_RESPONSE + """
            select c.request_id, c.response_kept_until, r.body, r.ref_type, r.ref_id
            from completed as c, response as r
            on conflict (request_id, expires_at) do update
            set response_body = excluded.response_body, result_ref_type = excluded.result_ref_type,
                result_ref_id = excluded.result_ref_id""";

    private static final String IN_ROW = "response_kept_until = null, response_expires_at";

    private static final String JSON_NULL = "null";

    static ClaimStatements inRow(Schema schema) {
        return of(schema, "response_expires_at", IN_ROW, COMPLETE, withCommit(COMPLETE), false);
    }

    static ClaimStatements inTable(Schema schema) {
        return of(
                schema,
                "response_kept_until",
                "response_expires_at = null, response_kept_until",
                COMPLETE_IN_TABLE,
                withCommit(COMPLETE_IN_TABLE),
                true);
    }

    static ClaimStatements inTableAfterLease(Schema schema) {
        return of(schema, "response_expires_at", IN_ROW, COMPLETE_IN_TABLE_AFTER_LEASE, null, false);
    }

    private static ClaimStatements of(
            Schema schema,
            String column,
            String assigned,
            String complete,
            @Nullable String completeAndCommit,
            boolean saysWhereResponseIs) {
        return new ClaimStatements(
                schema.resolve(CLAIM.replace(RESPONSE_TIME, column)),
                schema.resolve(CLAIM_AGAIN.replace(RESPONSE_TIME, assigned)),
                schema.resolve(complete),
                completeAndCommit == null ? null : schema.resolve(completeAndCommit),
                saysWhereResponseIs);
    }

    /**
     * Without a row to complete the first statement fails, so that PostgreSQL does not come to the second one. Its
     * SQLSTATE is one that hardly anything else has.
     */
    private static String withCommit(String complete) {
        return "with stored as (" + complete + """

                returning 1)
                select pg_catalog.width_bucket(0::float8, 0::float8, 1::float8, coalesce((select 1 from stored), 0));COMMIT""";
    }

    /** From the status on, as both claims name it. */
    void bindClaim(StatementParameters parameters, ClaimRequest request, String claimedBy) throws SQLException {
        boolean succeeds = saysWhereResponseIs || request.completeAtOnce();
        parameters.string(StatusColumn.textOf(succeeds ? RequestStatus.SUCCEEDED : RequestStatus.PROCESSING));
        parameters.json(request.completeAtOnce() ? JSON_NULL : null);
        parameters.string(claimedBy);
        parameters.uuid(request.lease() == null ? null : request.lease().token());
        parameters.duration(request.lease() == null ? null : request.lease().duration());
        parameters.duration(request.retention());
        parameters.duration(responseTime(request));
    }

    private @Nullable Duration responseTime(ClaimRequest request) {
        Duration retention = request.responseRetention();
        return retention == null && saysWhereResponseIs ? request.retention() : retention;
    }

    /** Whether nothing is told but that the call is over. */
    static boolean hasNoResponse(Completion completion) {
        return completion.responseBody().equals(JSON_NULL);
    }

    void bindCompletion(StatementParameters parameters, Completion completion) throws SQLException {
        parameters.json(completion.responseBody());
        parameters.string(completion.resultType());
        parameters.string(completion.resultId());
        parameters.fence(completion.fence());
    }
}
