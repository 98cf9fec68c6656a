package io.idempotency.internal.postgres.request;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyRecord;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.TimeColumns;

import static java.util.Objects.requireNonNull;

/**
 * The columns of the table {@code idempotency_request} that a new row fills, each with its value and its parameters, and those that
 * operators read. A row names only the columns that it may fill, because PostgreSQL and the driver spend time on each of them, even
 * for null.
 */
final class RequestColumns {

    static final String FROM_NOW = "statement_timestamp() + cast(? as float8) * interval '1 millisecond'";

    /** The value of {@code claimed_by}, which restores a setting in claims. */
    static final String CLAIMED_BY = "{claimed_by}";

    private static final List<Column> ALWAYS = List.of(
            new Column(
                    "request_id",
                    "?",
                    (parameters, row) -> parameters.uuid(row.key().id())),
            new Column(
                    "idempotency_scope, caller, idempotency_key",
                    "?, ?, ?",
                    (parameters, row) -> parameters.intent(row.key().intent())),
            new Column(
                    "request_hash, hash_version",
                    "?, ?",
                    (parameters, row) -> RequestParameters.bindFingerprint(
                            parameters, row.key().fingerprint())),
            new Column("claimed_by", CLAIMED_BY, (parameters, row) -> parameters.string(row.claimedBy())),
            Column.constant("claimed_at", "statement_timestamp()"),
            Column.constant("created_at", "statement_timestamp()"),
            Column.constant("updated_at", "statement_timestamp()"),
            new Column("expires_at", FROM_NOW, (parameters, row) -> parameters.duration(row.retention())));

    private static final Column FIRST_ATTEMPT = Column.constant("attempt_count", "1");

    private static final Column PROCESSING = Column.constant("status", "'processing'");

    private static final Column SUCCEEDED = Column.constant("status", "'succeeded'");

    private static final Column RESPONSE_EXPIRES_AT = new Column(
            "response_expires_at", FROM_NOW, (parameters, row) -> parameters.duration(row.responseRetention()));

    /** The columns of a claim that stores the success itself. */
    static final List<Column> COMPLETED = with(FIRST_ATTEMPT, SUCCEEDED, Column.constant("response_body", "'null'"));

    /** The columns of a claim that is committed together with its effect. */
    static final List<Column> IN_TRANSACTION = with(FIRST_ATTEMPT, PROCESSING, RESPONSE_EXPIRES_AT);

    /** The columns of a claim that is committed before its effect. */
    static final List<Column> LEASED = with(
            FIRST_ATTEMPT,
            PROCESSING,
            RESPONSE_EXPIRES_AT,
            new Column("claim_token, locked_until", "?, " + FROM_NOW, (parameters, row) -> {
                Lease lease = requireNonNull(row.lease());
                parameters.uuid(lease.token());
                parameters.duration(lease.duration());
            }));

    /** The columns of a call that has claimed nothing before. */
    static final List<Column> FINISHED = with(
            FIRST_ATTEMPT,
            SUCCEEDED,
            RESPONSE_EXPIRES_AT,
            new Column("response_body, result_ref_type, result_ref_id", "?, ?, ?", (parameters, row) -> {
                Completion completion = requireNonNull(row.completion());
                parameters.json(completion.responseBody());
                parameters.string(completion.resultType());
                parameters.string(completion.resultId());
            }));

    /** The columns of a call whose attempt has failed and was rolled back. */
    static final List<Column> FAILED = with(
            new Column("attempt_count", "?", (parameters, row) -> parameters.integer(row.attempt())),
            new Column("status, failure_code, failure_message", "?, ?, ?", (parameters, row) -> {
                Failure failure = requireNonNull(row.failure());
                RequestParameters.bindFailure(parameters, RequestParameters.statusOf(failure), failure);
            }));

    /** The columns that {@link #describe(ResultSet)} reads. Its parameter is the expression for a stale request. */
    static final String DESCRIBED = """
            idempotency_scope, caller, idempotency_key, status, %s as is_stale,
            attempt_count, claimed_by, created_at, claimed_at, locked_until, expires_at,
            response_body is not null as has_response, result_ref_type, result_ref_id, failure_code, failure_message""";

    private RequestColumns() {}

    private static List<Column> with(Column... others) {
        return Stream.concat(ALWAYS.stream(), Stream.of(others)).toList();
    }

    static IdempotencyRecord describe(ResultSet row) throws SQLException {
        return new IdempotencyRecord(
                IntentColumns.readAny(row),
                StatusColumn.statusOf(row.getString("status")),
                row.getBoolean("is_stale"),
                row.getInt("attempt_count"),
                row.getString("claimed_by"),
                TimeColumns.read(row, "created_at"),
                TimeColumns.read(row, "claimed_at"),
                TimeColumns.readOrNull(row, "locked_until"),
                TimeColumns.read(row, "expires_at"),
                row.getBoolean("has_response"),
                row.getString("result_ref_type"),
                row.getString("result_ref_id"),
                row.getString("failure_code"),
                row.getString("failure_message"));
    }

    /**
     * One column, or several that are bound together.
     *
     * @param name the name, or several with commas
     * @param value its value as SQL
     * @param binding binds the parameters of the value
     */
    record Column(String name, String value, Binding binding) {

        private static Column constant(String name, String value) {
            return new Column(name, value, (parameters, row) -> {});
        }
    }

    @FunctionalInterface
    interface Binding {

        void bind(StatementParameters parameters, NewRow row) throws SQLException;
    }

    /**
     * The values of a new row; those that its columns do not need are {@code null}.
     *
     * @param key the key of the request
     * @param attempt the number of the attempt
     * @param claimedBy the name of this process
     * @param retention time for which the row is kept, from now
     * @param responseRetention time for which its response is kept, from now; {@code null} for as long as the row
     * @param lease the lease of the claim
     * @param completion the response
     * @param failure the failure
     */
    record NewRow(
            RequestKey key,
            int attempt,
            String claimedBy,
            Duration retention,
            @Nullable Duration responseRetention,
            @Nullable Lease lease,
            @Nullable Completion completion,
            @Nullable Failure failure) {}
}
