package io.idempotency.internal.postgres.request;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;

/**
 * The statement that stores a response in the row of its claim, one for each kind of claim.
 *
 * @param sql the statement alone
 * @param withCommit the same, followed by the COMMIT; {@code null} for a lease, whose completion is committed later
 * @param bindsReference whether it stores a reference to the result of the call
 * @param bindsToken whether the claim has a lease
 */
record CompletionStatement(String sql, @Nullable String withCommit, boolean bindsReference, boolean bindsToken) {

    static CompletionStatement inTransaction(Schema schema) {
        return inTransaction(schema, RequestSql.COMPLETE, false);
    }

    static CompletionStatement inTransactionWithReference(Schema schema) {
        return inTransaction(schema, RequestSql.COMPLETE_WITH_REFERENCE, true);
    }

    static CompletionStatement ofLease(Schema schema) {
        return new CompletionStatement(schema.resolve(RequestSql.COMPLETE_LEASE), null, true, true);
    }

    private static CompletionStatement inTransaction(Schema schema, String sql, boolean bindsReference) {
        return new CompletionStatement(
                schema.resolve(sql), schema.resolve(RequestSql.followedByCommit(sql)), bindsReference, false);
    }

    void bind(StatementParameters parameters, Completion completion) throws SQLException {
        if (bindsToken) {
            parameters.bound(RequestParameters.boundOfHolder());
        }
        parameters.json(completion.responseBody());
        if (bindsReference) {
            parameters.string(completion.resultType());
            parameters.string(completion.resultId());
        }
        RequestParameters.bindId(
                parameters, completion.fence().requestId(), completion.fence().caller());
        parameters.integer(completion.fence().attempt());
        if (bindsToken) {
            parameters.uuid(completion.fence().token());
        }
    }
}
