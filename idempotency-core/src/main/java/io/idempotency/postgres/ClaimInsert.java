package io.idempotency.postgres;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.idempotency.RequestStatus;
import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.Lease;
import io.idempotency.codec.ResponseMapper;

import static java.util.Objects.requireNonNull;

/**
 * Takes a key that is new by inserting its row. It names only the columns that a claim of its kind fills, because PostgreSQL
 * and the driver spend time on each of them, even for null.
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

    private static final Column PROCESSING = Column.of("status", StatusColumn.textOf(RequestStatus.PROCESSING));

    private static final Column SUCCEEDED = Column.of("status", StatusColumn.textOf(RequestStatus.SUCCEEDED));

    private static final Column NO_RESPONSE = Column.of("response_body", ResponseMapper.NULL_BODY);

    private static final Column TOKEN = new Column(
            "claim_token",
            "?",
            (parameters, request) -> parameters.uuid(leaseOf(request).token()));

    private static final Column LOCKED_UNTIL = new Column(
            "locked_until",
            MILLISECONDS_FROM_NOW,
            (parameters, request) -> parameters.duration(leaseOf(request).duration()));

    private static final Column RESPONSE_EXPIRES_AT = new Column(
            "response_expires_at",
            MILLISECONDS_FROM_NOW,
            (parameters, request) -> parameters.duration(requireNonNull(request.responseRetention())));

    private static final Column RESPONSE_KEPT_UNTIL = new Column(
            "response_kept_until",
            MILLISECONDS_FROM_NOW,
            (parameters, request) -> parameters.duration(request.responseKeptFor()));

    private final Pipeline statements;

    private final List<Column> columns;

    private ClaimInsert(Schema schema, Column... columns) {
        this.columns = List.of(columns);
        this.statements = new Pipeline(schema.resolve(
                INSERT.replace("{columns}", joined(Column::name)).replace("{values}", joined(Column::value))));
    }

    /** Nothing will be known later that the row should hold. */
    static ClaimInsert completed(Schema schema) {
        return new ClaimInsert(schema, SUCCEEDED, NO_RESPONSE);
    }

    /** The response will be in the row, and goes with it. */
    static ClaimInsert inRow(Schema schema) {
        return new ClaimInsert(schema, PROCESSING);
    }

    /** The response will be in the row, and goes before it. */
    static ClaimInsert inRowForLess(Schema schema) {
        return new ClaimInsert(schema, PROCESSING, RESPONSE_EXPIRES_AT);
    }

    /** There will be a response in the table of its own. */
    static ClaimInsert inTable(Schema schema) {
        return new ClaimInsert(schema, SUCCEEDED, RESPONSE_KEPT_UNTIL);
    }

    /** Where the response will be is said by its completion; it goes with the key. */
    static ClaimInsert leased(Schema schema) {
        return new ClaimInsert(schema, PROCESSING, TOKEN, LOCKED_UNTIL);
    }

    /** The same for a response that goes before its key. */
    static ClaimInsert leasedForLess(Schema schema) {
        return new ClaimInsert(schema, PROCESSING, TOKEN, LOCKED_UNTIL, RESPONSE_EXPIRES_AT);
    }

    private String joined(Function<Column, String> part) {
        return columns.stream().map(part).collect(Collectors.joining(", "));
    }

    private static Lease leaseOf(ClaimRequest request) {
        return requireNonNull(request.lease());
    }

    Pipeline statements() {
        return statements;
    }

    void bind(StatementParameters parameters, ClaimRequest request, String claimedBy, WaitBound bound)
            throws SQLException {
        parameters.bound(bound);
        parameters.uuid(request.id());
        parameters.intent(request.intent());
        parameters.fingerprint(request.fingerprint());
        parameters.string(claimedBy);
        parameters.duration(request.retention());
        for (Column column : columns) {
            column.binding.bind(parameters, request);
        }
    }

    private record Column(String name, String value, Binding binding) {

        static Column of(String name, String constant) {
            return new Column(name, "'" + constant + "'", NOTHING);
        }
    }

    @FunctionalInterface
    private interface Binding {

        void bind(StatementParameters parameters, ClaimRequest request) throws SQLException;
    }
}
