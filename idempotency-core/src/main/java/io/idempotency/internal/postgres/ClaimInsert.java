package io.idempotency.internal.postgres;

import java.sql.SQLException;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

import static java.util.Objects.requireNonNull;

/**
 * Takes a key that is new by inserting its row. It names only the columns that a claim of its kind may fill, because
 * PostgreSQL and the driver spend time on each of them, even for null.
 */
final class ClaimInsert {

    private static final String INSERT = WaitBound.restoredWithin("""
            insert into {schema}.idempotency_request (
                request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, claimed_by, claimed_at,
                attempt_count, created_at, updated_at, expires_at, {columns})
            select ?, ?, ?, ?, ?, ?, ?, t.now,
                   1, t.now, t.now, t.now + cast(? as float8) * interval '1 millisecond', {values}
            from (select clock_timestamp() as now, {restore}) t
            on conflict (request_id) do nothing""");

    private static final String MILLISECONDS_FROM_NOW = "t.now + cast(? as float8) * interval '1 millisecond'";

    private static final Binding NOTHING = (parameters, request) -> {};

    private final String sql;

    private final Binding binding;

    private ClaimInsert(Schema schema, String columns, String values, Binding binding) {
        this.sql = schema.resolve(INSERT.replace("{columns}", columns).replace("{values}", values));
        this.binding = binding;
    }

    /** Nothing will be known later that the row should hold. */
    static ClaimInsert completed(Schema schema) {
        return new ClaimInsert(schema, "status, response_body", "'succeeded', 'null'", NOTHING);
    }

    /** The claim of the transaction that its effect is a part of. */
    static ClaimInsert inTransaction(Schema schema) {
        return new ClaimInsert(
                schema,
                "status, response_expires_at",
                "'processing', " + MILLISECONDS_FROM_NOW,
                (parameters, request) -> parameters.duration(request.responseRetention()));
    }

    /** A claim that is committed before its effect. */
    static ClaimInsert leased(Schema schema) {
        return new ClaimInsert(
                schema,
                "status, response_expires_at, claim_token, locked_until",
                "'processing', " + MILLISECONDS_FROM_NOW + ", ?, " + MILLISECONDS_FROM_NOW,
                (parameters, request) -> {
                    Lease lease = requireNonNull(request.lease());
                    parameters.duration(request.responseRetention());
                    parameters.uuid(lease.token());
                    parameters.duration(lease.duration());
                });
    }

    String sql() {
        return sql;
    }

    void bind(StatementParameters parameters, ClaimRequest request, String claimedBy, WaitBound bound)
            throws SQLException {
        parameters.bound(bound);
        parameters.uuid(request.id());
        parameters.intent(request.intent());
        IdempotencyRequestTable.bindFingerprint(parameters, request.fingerprint());
        parameters.string(claimedBy);
        parameters.duration(request.retention());
        binding.bind(parameters, request);
    }

    @FunctionalInterface
    private interface Binding {

        void bind(StatementParameters parameters, ClaimRequest request) throws SQLException;
    }
}
