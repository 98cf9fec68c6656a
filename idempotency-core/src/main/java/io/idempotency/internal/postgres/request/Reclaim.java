package io.idempotency.internal.postgres.request;

import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;
import io.idempotency.internal.postgres.request.RequestColumns.Column;

/**
 * A statement that reclaims a key whose last attempt has failed or whose lease has expired. It replaces what a new row would have,
 * and clears what else an attempt may have left.
 */
record Reclaim(String sql, List<Column> columns) {

    /** Returns the reclaim that is complete at once. */
    static Reclaim completed(Schema schema) {
        return of(schema, RequestColumns.COMPLETED);
    }

    /** Returns the reclaim that is committed together with its effect. */
    static Reclaim inTransaction(Schema schema) {
        return of(schema, RequestColumns.IN_TRANSACTION);
    }

    /** Returns the reclaim that is committed before its effect. */
    static Reclaim leased(Schema schema) {
        return of(schema, RequestColumns.LEASED);
    }

    private static Reclaim of(Schema schema, List<Column> claim) {
        List<Column> columns = claim.stream().filter(Column::isOfAttempt).toList();
        Set<String> cleared = new LinkedHashSet<>(RequestColumns.OF_ATTEMPTS);
        columns.forEach(column -> column.names().forEach(cleared::remove));
        String assignments = Stream.concat(
                        columns.stream().map(Column::assignment),
                        cleared.stream().map(name -> name + " = null"))
                .collect(Collectors.joining(", "))
                .replace(RequestColumns.CLAIMED_BY, "?");
        String sql = WaitBound.aroundClaim(RequestSql.RECLAIM.replace("{columns}", assignments));
        return new Reclaim(schema.resolve(sql), columns);
    }

    void bind(StatementParameters parameters, ClaimRequest request, int attempt, String claimedBy, WaitBound bound)
            throws SQLException {
        parameters.bound(bound);
        RequestColumns.bindAll(parameters, columns, RequestColumns.NewRow.of(request, null, claimedBy));
        RequestColumns.bindId(parameters, request.id(), request.intent().caller());
        parameters.integer(attempt);
    }
}
