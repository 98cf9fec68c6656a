package io.idempotency.internal.postgres;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;

/**
 * Stores a response in the row of its claim, which has left room for it.
 *
 * @param sql the statement alone
 * @param withCommit the same together with the COMMIT; {@code null} where a lease is completed, which commits later
 * @param bindsReference whether it writes what the call has made
 * @param bindsToken whether the claim was one for a lease
 */
record CompletionStatement(String sql, @Nullable String withCommit, boolean bindsReference, boolean bindsToken) {

    private static final String HELD = "\nwhere request_id = ? and status = 'processing'";

    /** The fence of a claim without a lease is its transaction, which nobody else can be in. */
    private static final String BY_TRANSACTION = " and attempt_count = ? and claim_token is null";

    static final String HELD_BY_LEASE = HELD + " and attempt_count = ? and claim_token = ?";

    private static final String REFERENCE = "result_ref_type = ?, result_ref_id = ?, ";

    /**
     * The other columns need no clearing: a new row has nothing in them, and who takes a row over clears them. Nobody else
     * writes a row in processing that has no token.
     */
    private static final String IN_TRANSACTION = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = ?, {reference}updated_at = clock_timestamp()""" + HELD + BY_TRANSACTION;

    /** The retention of a leased call counts from its end, however long the lease was. The index of leases changes anyway. */
    static final String RETENTION_FROM_NOW = ",\n    expires_at = statement_timestamp() + (expires_at - claimed_at)";

    private static final String OF_LEASE = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = ?, result_ref_type = ?, result_ref_id = ?,
                locked_until = null, updated_at = clock_timestamp(),
                response_expires_at = statement_timestamp() + (response_expires_at - claimed_at)""" + RETENTION_FROM_NOW + HELD_BY_LEASE;

    static CompletionStatement inTransaction(Schema schema) {
        return inTransaction(schema, IN_TRANSACTION.replace("{reference}", ""), false);
    }

    static CompletionStatement inTransactionWithReference(Schema schema) {
        return inTransaction(schema, IN_TRANSACTION.replace("{reference}", REFERENCE), true);
    }

    static CompletionStatement ofLease(Schema schema) {
        return new CompletionStatement(schema.resolve(OF_LEASE), null, true, true);
    }

    private static CompletionStatement inTransaction(Schema schema, String sql, boolean bindsReference) {
        return new CompletionStatement(
                schema.resolve(sql), schema.resolve(followedByCommit(sql)), bindsReference, false);
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
