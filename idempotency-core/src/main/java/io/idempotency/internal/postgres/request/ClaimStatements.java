package io.idempotency.internal.postgres.request;

import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;

/**
 * The statements of one kind of claim.
 *
 * @param insertSql the insert as it is sent, with a COMMIT or without
 * @param reclaimSql the reclaim as it is sent, with a COMMIT or without
 * @param find the query of the row, with a bound and a COMMIT or without both
 * @param isAlone whether each of them is a transaction of its own
 * @param leavesOpen whether the transaction of a claim is still open when it is granted
 */
record ClaimStatements(
        RequestColumns.Insert insert,
        String insertSql,
        Reclaim reclaim,
        String reclaimSql,
        String find,
        boolean isAlone,
        boolean leavesOpen) {

    /** Returns the statements of a claim in an open transaction. */
    static ClaimStatements within(Schema schema, RequestColumns.Insert insert, Reclaim reclaim) {
        return new ClaimStatements(
                insert, insert.sql(), reclaim, reclaim.sql(), schema.resolve(RequestSql.FIND), false, true);
    }

    /** Returns the statements of a claim that are committed by themselves. */
    static ClaimStatements alone(Schema schema, RequestColumns.Insert insert, Reclaim reclaim) {
        return new ClaimStatements(
                insert,
                MultiStatement.transaction(insert.sql()),
                reclaim,
                MultiStatement.transaction(reclaim.sql()),
                schema.resolve(RequestSql.FIND_ALONE),
                true,
                false);
    }

    /** Returns the statements of a claim that is committed with what follows it. */
    static ClaimStatements beginning(Schema schema, RequestColumns.Insert insert, Reclaim reclaim) {
        return new ClaimStatements(
                insert,
                MultiStatement.beginning(insert.sql()),
                reclaim,
                MultiStatement.beginning(reclaim.sql()),
                schema.resolve(RequestSql.FIND_ALONE),
                true,
                true);
    }
}
