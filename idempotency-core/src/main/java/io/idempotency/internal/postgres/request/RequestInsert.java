package io.idempotency.internal.postgres.request;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.KeyClaimer.FailureRecord;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;
import io.idempotency.internal.postgres.request.RequestColumns.Column;
import io.idempotency.internal.postgres.request.RequestColumns.NewRow;

/**
 * A statement that inserts the row of a request. Its text and its parameters are those of its columns.
 *
 * @param sql the statement alone
 * @param withCommit the same, followed by the COMMIT
 * @param columns the columns that it fills
 */
record RequestInsert(String sql, String withCommit, List<Column> columns) {

    private static final String RESTORING = "pg_catalog.concat(pg_catalog.left({restore}, 0), cast(? as text))";

    private static final String TAKEN = "\non conflict do nothing";

    private RequestInsert(Schema schema, String sql, List<Column> columns) {
        this(schema.resolve(sql), schema.resolve(sql + RequestSql.COMMIT), columns);
    }

    /** Returns the claim that is complete at once. */
    static RequestInsert completed(Schema schema) {
        return bounded(schema, RequestColumns.COMPLETED, TAKEN);
    }

    /** Returns the claim that is committed together with its effect. */
    static RequestInsert inTransaction(Schema schema) {
        return bounded(schema, RequestColumns.IN_TRANSACTION, TAKEN);
    }

    /** Returns the claim that is committed before its effect. */
    static RequestInsert leased(Schema schema) {
        return bounded(schema, RequestColumns.LEASED, TAKEN);
    }

    /**
     * Returns the insert of a finished call, which has claimed nothing before. It fails if the key has a row, so that a COMMIT that
     * follows is not executed.
     */
    static RequestInsert finished(Schema schema) {
        return bounded(schema, RequestColumns.FINISHED, "");
    }

    /** Returns the record of a failure. It waits for an attempt that holds the key: if that succeeds, there is nothing to record. */
    static RequestInsert failed(Schema schema) {
        return new RequestInsert(
                schema,
                WaitBound.BRIEFLY
                        + insert(RequestColumns.FAILED).replace(RequestColumns.CLAIMED_BY, "?")
                        + RequestSql.UNLESS_ANSWERED,
                RequestColumns.FAILED);
    }

    private static RequestInsert bounded(Schema schema, List<Column> columns, String end) {
        String insert = insert(columns).replace(RequestColumns.CLAIMED_BY, RESTORING);
        return new RequestInsert(schema, WaitBound.restoredWithin(insert) + end, columns);
    }

    /** VALUES and not SELECT, for which Citus reports a row that it has not inserted. */
    private static String insert(List<Column> columns) {
        return "insert into {schema}.idempotency_request as stored (\n    "
                + columns.stream().map(Column::name).collect(Collectors.joining(", ")) + ")\nvalues (\n    "
                + columns.stream().map(Column::value).collect(Collectors.joining(", ")) + ")";
    }

    /** Binds a claim. */
    void bind(StatementParameters parameters, ClaimRequest request, String claimedBy, WaitBound bound)
            throws SQLException {
        bind(parameters, request, null, claimedBy, bound);
    }

    /** Binds a finished call. */
    void bind(StatementParameters parameters, ClaimRequest request, Completion completion, String claimedBy)
            throws SQLException {
        bind(parameters, request, completion, claimedBy, WaitBound.remaining(request.waitLimit(), System.nanoTime()));
    }

    private void bind(
            StatementParameters parameters,
            ClaimRequest request,
            @Nullable Completion completion,
            String claimedBy,
            WaitBound bound)
            throws SQLException {
        parameters.bound(bound);
        bind(
                parameters,
                new NewRow(
                        request.key(),
                        1,
                        claimedBy,
                        request.retention(),
                        request.responseRetention(),
                        request.lease(),
                        completion,
                        null));
    }

    /** Binds a failure. */
    void bind(StatementParameters parameters, FailureRecord failed, String claimedBy) throws SQLException {
        bind(
                parameters,
                new NewRow(
                        failed.key(),
                        failed.attempt(),
                        claimedBy,
                        failed.retention(),
                        null,
                        null,
                        null,
                        failed.failure()));
    }

    private void bind(StatementParameters parameters, NewRow row) throws SQLException {
        for (Column column : columns) {
            column.binding().bind(parameters, row);
        }
    }
}
