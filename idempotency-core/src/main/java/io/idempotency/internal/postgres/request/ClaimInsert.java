package io.idempotency.internal.postgres.request;

import java.sql.SQLException;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

import static java.util.Objects.requireNonNull;

/** The statement that claims a new key by inserting its row, one for each kind of claim. */
final class ClaimInsert {

    private static final Binding NOTHING = (parameters, request) -> {};

    private final String sql;

    private final Binding binding;

    private ClaimInsert(Schema schema, String sql, Binding binding) {
        this.sql = schema.resolve(sql);
        this.binding = binding;
    }

    /** Returns the claim that is complete at once. */
    static ClaimInsert completed(Schema schema) {
        return new ClaimInsert(schema, RequestSql.INSERT_COMPLETED, NOTHING);
    }

    /** Returns the claim that is committed together with its effect. */
    static ClaimInsert inTransaction(Schema schema) {
        return new ClaimInsert(
                schema,
                RequestSql.INSERT_IN_TRANSACTION,
                (parameters, request) -> parameters.duration(request.responseRetention()));
    }

    /** Returns the claim that is committed before its effect. */
    static ClaimInsert leased(Schema schema) {
        return new ClaimInsert(schema, RequestSql.INSERT_LEASED, (parameters, request) -> {
            Lease lease = requireNonNull(request.lease());
            parameters.duration(request.responseRetention());
            parameters.uuid(lease.token());
            parameters.duration(lease.duration());
            RequestParameters.bindArguments(parameters, lease);
        });
    }

    String sql() {
        return sql;
    }

    void bind(StatementParameters parameters, ClaimRequest request, String claimedBy, WaitBound bound)
            throws SQLException {
        bindRow(parameters, request, claimedBy, bound);
        binding.bind(parameters, request);
    }

    /** Binds the columns that each insert of a row fills. */
    static void bindRow(StatementParameters parameters, ClaimRequest request, String claimedBy, WaitBound bound)
            throws SQLException {
        parameters.bound(bound);
        parameters.uuid(request.id());
        parameters.intent(request.intent());
        RequestParameters.bindFingerprint(parameters, request.fingerprint());
        parameters.string(claimedBy);
        parameters.duration(request.retention());
    }

    @FunctionalInterface
    private interface Binding {

        void bind(StatementParameters parameters, ClaimRequest request) throws SQLException;
    }
}
