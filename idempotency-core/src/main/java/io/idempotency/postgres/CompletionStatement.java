package io.idempotency.postgres;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.idempotency.claim.Completion;

/**
 * Stores a response, where the claim has left room for it: in its row by an update, in the table of its own by an insert.
 *
 * @param statements the statement alone
 * @param withCommit the same together with the COMMIT; {@code null} where a lease is completed, which commits later
 * @param bindsReference whether it writes what the call has made
 * @param bindsToken whether the claim was one for a lease
 */
record CompletionStatement(
        Pipeline statements, @Nullable String withCommit, boolean bindsReference, boolean bindsToken) {

    private static final String HELD = "\nwhere request_id = ? and status = 'processing'";

    /** The fence of a claim without a lease is its transaction, which nobody else can be in. */
    private static final String BY_TRANSACTION = " and attempt_count = ? and claim_token is null";

    static final String HELD_BY_LEASE = HELD + " and attempt_count = ? and claim_token = ?";

    private static final String REFERENCE = "result_ref_type = ?, result_ref_id = ?, ";

    /**
     * The other columns need no clearing: a new row has nothing in them, and who takes a row over clears them. Nobody else
     * writes a row in processing that has no token.
     */
    private static final String IN_ROW = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = ?, {reference}updated_at = clock_timestamp()""" + HELD + BY_TRANSACTION;

    /** The retention of a leased call counts from its end, however long the lease was. The index of leases changes anyway. */
    static final String RETENTION_FROM_NOW = ",\n    expires_at = statement_timestamp() + (expires_at - claimed_at)";

    private static final String LEASE_IN_ROW = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = ?, result_ref_type = ?, result_ref_id = ?,
                response_kept_until = null, locked_until = null, updated_at = clock_timestamp(),
                response_expires_at = statement_timestamp() + (response_expires_at - claimed_at)""" + RETENTION_FROM_NOW + HELD_BY_LEASE;

    private static final String INSERT_RESPONSE = """
            insert into {schema}.idempotency_response (
                request_id, expires_at, response_body, result_ref_type, result_ref_id)
            """;

    /**
     * The claim has said beforehand that there will be a response: until it is there, its row is what a row in processing
     * without a lease is. What is there already was completed already. The row is locked, because whoever committed in his
     * middle may meet an operator, who locks it too: of a completion and a decision the later one finds the other.
     */
    private static final String IN_TABLE = INSERT_RESPONSE + """
            select request_id, response_kept_until, cast(? as json), ?, ?
            from {schema}.idempotency_request
            where request_id = ? and status = 'succeeded' and response_kept_until is not null""" + BY_TRANSACTION + """

            for share
            on conflict do nothing""";

    /** Who could change the row is the only one to write behind it, whatever an earlier key has left there. */
    private static final String LEASE_IN_TABLE = """
            with response as (
                select cast(? as json) as body, cast(? as text) as ref_type, cast(? as text) as ref_id),
            completed as (
                update {schema}.idempotency_request
                set status = 'succeeded', response_expires_at = null, locked_until = null, updated_at = clock_timestamp(),
                    response_kept_until =
                        statement_timestamp() + (coalesce(response_expires_at, expires_at) - claimed_at)""" + RETENTION_FROM_NOW + HELD_BY_LEASE + """

                returning request_id, response_kept_until)
            """ + INSERT_RESPONSE + """
            select c.request_id, c.response_kept_until, r.body, r.ref_type, r.ref_id
            from completed as c, response as r
            on conflict (request_id, expires_at) do update
            set response_body = excluded.response_body, result_ref_type = excluded.result_ref_type,
                result_ref_id = excluded.result_ref_id""";

    static CompletionStatement inRow(Schema schema) {
        return inTransaction(schema, IN_ROW.replace("{reference}", ""), false);
    }

    static CompletionStatement inRowWithReference(Schema schema) {
        return inTransaction(schema, IN_ROW.replace("{reference}", REFERENCE), true);
    }

    static CompletionStatement inTable(Schema schema) {
        return inTransaction(schema, IN_TABLE, true);
    }

    static CompletionStatement ofLeaseInRow(Schema schema) {
        return ofLease(schema, LEASE_IN_ROW);
    }

    static CompletionStatement ofLeaseInTable(Schema schema) {
        return ofLease(schema, LEASE_IN_TABLE);
    }

    private static CompletionStatement inTransaction(Schema schema, String sql, boolean bindsReference) {
        return new CompletionStatement(
                new Pipeline(schema.resolve(sql)), schema.resolve(followedByCommit(sql)), bindsReference, false);
    }

    private static CompletionStatement ofLease(Schema schema, String sql) {
        return new CompletionStatement(new Pipeline(schema.resolve(sql)), null, true, true);
    }

    /**
     * Without a row to complete the first statement fails, so that PostgreSQL does not come to the second one. Its
     * SQLSTATE is one that hardly anything else has.
     */
    private static String followedByCommit(String sql) {
        return "with stored as (" + sql + """

                returning 1)
                select pg_catalog.width_bucket(0::float8, 0::float8, 1::float8, coalesce((select 1 from stored), 0));COMMIT""";
    }

    void bind(StatementParameters parameters, Completion completion) throws SQLException {
        parameters.json(completion.responseBody());
        if (bindsReference) {
            parameters.string(completion.resultType());
            parameters.string(completion.resultId());
        }
        parameters.uuid(completion.fence().requestId());
        parameters.integer(completion.fence().attempt());
        if (bindsToken) {
            parameters.uuid(completion.fence().token());
        }
    }
}
