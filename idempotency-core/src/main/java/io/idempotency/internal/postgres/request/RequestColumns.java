package io.idempotency.internal.postgres.request;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyRecord;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimStore.FailureRecord;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.TimeColumns;
import io.idempotency.internal.postgres.jdbc.WaitBound;

import static java.util.Objects.requireNonNull;

/**
 * The columns of the table {@code idempotency_request}: those that a new row fills, each with its value and its parameters, those that
 * operators read, and how values of several columns are bound. A row names only the columns that it may fill, because PostgreSQL and
 * the driver spend time on each of them, even for null.
 */
final class RequestColumns {

    static final String FROM_NOW = "statement_timestamp() + cast(? as float8) * interval '1 millisecond'";

    /** The value of {@code claimed_by}, which restores a setting in claims. */
    static final String CLAIMED_BY = "{claimed_by}";

    private static final List<Column> ALWAYS = List.of(
            new Column(
                            "request_id",
                            "?",
                            (parameters, row) -> parameters.uuid(row.key().id()))
                    .kept(),
            new Column(
                            "idempotency_scope, caller, idempotency_key",
                            "?, ?, ?",
                            (parameters, row) -> parameters.intent(row.key().intent()))
                    .kept(),
            new Column(
                    "request_hash, hash_version",
                    "?, ?",
                    (parameters, row) -> bindFingerprint(parameters, row.key().fingerprint())),
            new Column("claimed_by", CLAIMED_BY, (parameters, row) -> parameters.string(row.claimedBy())),
            Column.constant("claimed_at", "statement_timestamp()"),
            Column.constant("created_at", "statement_timestamp()").kept(),
            Column.constant("updated_at", "statement_timestamp()"),
            new Column("expires_at", FROM_NOW, (parameters, row) -> parameters.duration(row.retention())));

    private static final Column FIRST_ATTEMPT =
            Column.constant("attempt_count", "1").kept();

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
    private static final List<Column> FINISHED = with(
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
    private static final List<Column> FAILED = with(
            new Column("attempt_count", "?", (parameters, row) -> parameters.integer(row.attempt())).kept(),
            new Column("status, failure_code, failure_message", "?, ?, ?", (parameters, row) -> {
                Failure failure = requireNonNull(row.failure());
                bindFailure(parameters, statusOf(failure), failure);
            }));

    /** The columns that an attempt may have left in a row. */
    static final Set<String> OF_ATTEMPTS = Stream.of(COMPLETED, IN_TRANSACTION, LEASED, FINISHED, FAILED)
            .flatMap(List::stream)
            .filter(Column::isOfAttempt)
            .flatMap(column -> column.names().stream())
            .collect(Collectors.toCollection(LinkedHashSet::new));

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
                statusOf(row.getString("status")),
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

    static void bindAll(StatementParameters parameters, List<Column> columns, NewRow row) throws SQLException {
        for (Column column : columns) {
            column.binding().bind(parameters, row);
        }
    }

    static void bindId(StatementParameters parameters, UUID id, String caller) throws SQLException {
        parameters.uuid(id);
        parameters.string(caller);
    }

    static void bindFingerprint(StatementParameters parameters, Fingerprint fingerprint) throws SQLException {
        parameters.bytes(fingerprint.hash());
        parameters.integer(fingerprint.version());
    }

    static RequestStatus statusOf(Failure failure) {
        return failure.isFinal() ? RequestStatus.FAILED_FINAL : RequestStatus.FAILED_RETRYABLE;
    }

    static void bindFailure(StatementParameters parameters, RequestStatus status, Failure failure) throws SQLException {
        parameters.string(textOf(status));
        parameters.string(failure.code());
        parameters.string(failure.message());
    }

    /** Binds the parameters by which {@link ResumptionScheduler} finds the message of a claim. */
    static void bindMessage(StatementParameters parameters, Fence fence) throws SQLException {
        parameters.uuid(fence.requestId());
        parameters.uuid(fence.token());
    }

    static void bindFence(StatementParameters parameters, Fence fence) throws SQLException {
        bindId(parameters, fence.requestId(), fence.caller());
        parameters.integer(fence.attempt());
        parameters.uuid(fence.token());
    }

    static String textOf(RequestStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    static RequestStatus statusOf(String text) {
        for (RequestStatus known : RequestStatus.values()) {
            if (textOf(known).equals(text)) {
                return known;
            }
        }
        throw new IllegalStateException("The request status '" + text
                + "' is not known to this version of the library: upgrade every application that shares the database");
    }

    /**
     * One column, or several that are bound together.
     *
     * @param name the name, or several with commas
     * @param value its value as SQL
     * @param isOfAttempt whether the next attempt replaces or clears it
     */
    record Column(String name, String value, Binding binding, boolean isOfAttempt) {

        Column(String name, String value, Binding binding) {
            this(name, value, binding, true);
        }

        /** Returns the same column, which the next attempt keeps. */
        Column kept() {
            return new Column(name, value, binding, false);
        }

        List<String> names() {
            return List.of(name.split(", "));
        }

        /** Returns the assignments of an update that gives the column the value of a new row. */
        String assignment() {
            List<String> values = List.of(value.split(", "));
            return IntStream.range(0, values.size())
                    .mapToObj(i -> names().get(i) + " = " + values.get(i))
                    .collect(Collectors.joining(", "));
        }

        static Column constant(String name, String value) {
            return new Column(name, value, (parameters, row) -> {});
        }
    }

    /**
     * A statement that inserts the row of a request. Its text and its parameters are those of its columns.
     *
     * @param sql the statement alone
     * @param withCommit the same, followed by the COMMIT
     */
    record Insert(String sql, String withCommit, List<Column> columns) {

        private static final String RESTORING = "pg_catalog.concat(pg_catalog.left({restore}, 0), cast(? as text))";

        private static final String TAKEN = "\non conflict do nothing";

        private Insert(Schema schema, String sql, List<Column> columns) {
            this(schema.resolve(sql), schema.resolve(sql + MultiStatement.COMMIT), columns);
        }

        /** Returns the claim that is complete at once. */
        static Insert completed(Schema schema) {
            return bounded(schema, COMPLETED, TAKEN);
        }

        /** Returns the claim that is committed together with its effect. */
        static Insert inTransaction(Schema schema) {
            return bounded(schema, IN_TRANSACTION, TAKEN);
        }

        /** Returns the claim that is committed before its effect. */
        static Insert leased(Schema schema) {
            return bounded(schema, LEASED, TAKEN);
        }

        /**
         * Returns the insert of a finished call, which has claimed nothing before. It fails if the key has a row, so that a COMMIT that
         * follows is not executed.
         */
        static Insert finished(Schema schema) {
            return bounded(schema, FINISHED, "");
        }

        /** Returns the record of a failure. It waits for an attempt that holds the key: if that succeeds, there is nothing to record. */
        static Insert failed(Schema schema) {
            return new Insert(
                    schema,
                    MultiStatement.beginning(
                            WaitBound.brieflyAround(insert(FAILED).replace(CLAIMED_BY, "?")
                                    + RequestSql.UNLESS_ANSWERED.replace("{columns}", replacing(FAILED)))),
                    FAILED);
        }

        private static Insert bounded(Schema schema, List<Column> columns, String end) {
            String insert = insert(columns).replace(CLAIMED_BY, RESTORING);
            return new Insert(schema, WaitBound.restoredWithin(insert) + end, columns);
        }

        /** VALUES and not SELECT, for which Citus reports a row that it has not inserted. */
        private static String insert(List<Column> columns) {
            return "insert into {schema}.idempotency_request as stored (\n    "
                    + columns.stream().map(Column::name).collect(Collectors.joining(", ")) + ")\nvalues (\n    "
                    + columns.stream().map(Column::value).collect(Collectors.joining(", ")) + ")";
        }

        private static String replacing(List<Column> columns) {
            return columns.stream()
                    .filter(Column::isOfAttempt)
                    .flatMap(column -> column.names().stream())
                    .map(name -> name + " = excluded." + name)
                    .collect(Collectors.joining(", "));
        }

        /** Binds a finished call. */
        void bind(StatementParameters parameters, ClaimRequest request, Completion completion, String claimedBy)
                throws SQLException {
            bind(
                    parameters,
                    request,
                    completion,
                    claimedBy,
                    WaitBound.remaining(request.waitLimit(), System.nanoTime()));
        }

        /** Binds a claim, or a call that is finished. */
        void bind(
                StatementParameters parameters,
                ClaimRequest request,
                @Nullable Completion completion,
                String claimedBy,
                WaitBound bound)
                throws SQLException {
            parameters.bound(bound);
            bindAll(parameters, columns, NewRow.of(request, completion, claimedBy));
        }

        /** Binds a failure. */
        void bind(StatementParameters parameters, FailureRecord failed, String claimedBy) throws SQLException {
            bindAll(
                    parameters,
                    columns,
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
    }

    @FunctionalInterface
    interface Binding {

        void bind(StatementParameters parameters, NewRow row) throws SQLException;
    }

    /**
     * The values of a new row; those that its columns do not need are {@code null}.
     *
     * @param claimedBy the name of this process
     * @param retention time for which the row is kept, from now
     * @param responseRetention time for which its response is kept, from now; {@code null} for as long as the row
     */
    record NewRow(
            RequestKey key,
            int attempt,
            String claimedBy,
            Duration retention,
            @Nullable Duration responseRetention,
            @Nullable Lease lease,
            @Nullable Completion completion,
            @Nullable Failure failure) {

        static NewRow of(ClaimRequest request, @Nullable Completion completion, String claimedBy) {
            return new NewRow(
                    request.key(),
                    1,
                    claimedBy,
                    request.retention(),
                    request.responseRetention(),
                    request.lease(),
                    completion,
                    null);
        }
    }
}
