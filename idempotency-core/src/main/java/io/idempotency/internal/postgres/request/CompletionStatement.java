package io.idempotency.internal.postgres.request;

import java.sql.SQLException;

import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/**
 * The statement that stores a response in the row of its claim, one for each kind of claim.
 *
 * @param sql the statement
 * @param bindsReference whether it stores a reference to the result of the call
 * @param bindsToken whether the claim has a lease
 * @param cancelsResumption whether the call is not resumed any more
 */
record CompletionStatement(String sql, boolean bindsReference, boolean bindsToken, boolean cancelsResumption) {

    static CompletionStatement inTransaction(Schema schema) {
        return new CompletionStatement(schema.resolve(RequestSql.COMPLETE), false, false, false);
    }

    static CompletionStatement inTransactionWithReference(Schema schema) {
        return new CompletionStatement(schema.resolve(RequestSql.COMPLETE_WITH_REFERENCE), true, false, false);
    }

    static CompletionStatement ofLease(Schema schema) {
        return new CompletionStatement(schema.resolve(WaitBound.around(RequestSql.COMPLETE_LEASE)), true, true, false);
    }

    static CompletionStatement ofResumableLease(Schema schema, ResumptionScheduler scheduler) {
        return new CompletionStatement(
                schema.resolve(WaitBound.around(RequestSql.COMPLETE_LEASE + ";\n" + scheduler.cancellation())),
                true,
                true,
                true);
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
        if (cancelsResumption) {
            RequestParameters.bindMessage(parameters, completion.fence());
        }
    }
}
