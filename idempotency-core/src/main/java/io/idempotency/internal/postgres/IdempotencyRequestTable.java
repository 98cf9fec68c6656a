package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.springframework.jdbc.support.JdbcUtils;

import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.CompletingCommit;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.codec.Fingerprint;
import io.idempotency.internal.postgres.jdbc.ClaimMark;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/** Claims in the table {@code idempotency_request}. */
final class IdempotencyRequestTable implements ClaimStore {

    private static final String COLUMNS = """
            select idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
                   response_body, attempt_count, failure_code, failure_message, claim_token,
                   (extract(epoch from locked_until - clock_timestamp()) * 1000.0)::bigint
            """;

    /** Takes no row lock: a lock writes, and a replay writes nothing. */
    private static final String FIND = COLUMNS + """
            from {schema}.idempotency_request
            where request_id = ?""";

    /** Bounded, because it is the first to wait for a lock of the table. */
    private static final String FIND_ANSWERED = WaitBound.ofOneTransaction(FIND);

    private static final String FIND_SETTLED = WaitBound.BRIEFLY + FIND + " for update";

    private static final String FAIL =
            WaitBound.BRIEFLY + """
            update {schema}.idempotency_request
            set status = ?, failure_code = ?, failure_message = ?,
                locked_until = null, response_expires_at = null, updated_at = clock_timestamp()""" + CompletionStatement.RETENTION_FROM_NOW + CompletionStatement.HELD_BY_LEASE;

    private static final String EXTEND_LEASE = """
            update {schema}.idempotency_request
            set locked_until = greatest(locked_until, clock_timestamp() + cast(? as float8) * interval '1 millisecond'),
                expires_at = expires_at
                    + greatest(clock_timestamp() + cast(? as float8) * interval '1 millisecond' - locked_until, interval '0'),
                response_expires_at = response_expires_at
                    + greatest(clock_timestamp() + cast(? as float8) * interval '1 millisecond' - locked_until, interval '0'),
                updated_at = clock_timestamp()""" + CompletionStatement.HELD_BY_LEASE;

    /** Waits for an attempt that holds the key: if it succeeds, there is nothing to record. */
    private static final String RECORD_FAILURE = WaitBound.BRIEFLY + """
            insert into {schema}.idempotency_request as stored (
                request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version,
                status, failure_code, failure_message, claimed_by, claimed_at,
                attempt_count, created_at, updated_at, expires_at)
            select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, t.now, ?, t.now, t.now, t.now + cast(? as float8) * interval '1 millisecond'
            from (select clock_timestamp() as now) t
            on conflict (request_id) do update
            set request_hash = excluded.request_hash, hash_version = excluded.hash_version, status = excluded.status,
                failure_code = excluded.failure_code, failure_message = excluded.failure_message,
                claimed_by = excluded.claimed_by, claimed_at = excluded.claimed_at,
                attempt_count = excluded.attempt_count, updated_at = excluded.updated_at,
                expires_at = excluded.expires_at
            where stored.status = 'failed_retryable' and stored.attempt_count < excluded.attempt_count""";

    /** A row can vanish between the insert and the query as often as it is purged or rolled back in just that moment. */
    private static final int MAX_CLAIM_ATTEMPTS = 10;

    /** By which a lease may be shorter than it was asked for. */
    private static final Duration LONGEST_WITHOUT_A_WAIT = Duration.ofMillis(100);

    private final ClaimInsert insertCompleted;

    private final ClaimInsert insertInTransaction;

    private final ClaimInsert insertLeased;

    private final ClaimTakeover takeover;

    private final CompletionStatement completion;

    private final CompletionStatement completionWithReference;

    private final CompletionStatement completionOfLease;

    private final String find;

    private final String findAnswered;

    private final String findSettled;

    private final String fail;

    private final String extendLease;

    private final String recordFailure;

    private final String claimedBy;

    /** A guess: what was completed may be rolled back or in another database, what is forgotten may be there. */
    private final RecentIds answered = new RecentIds();

    IdempotencyRequestTable(Schema schema, String claimedBy) {
        this.insertCompleted = ClaimInsert.completed(schema);
        this.insertInTransaction = ClaimInsert.inTransaction(schema);
        this.insertLeased = ClaimInsert.leased(schema);
        this.takeover = new ClaimTakeover(schema);
        this.completion = CompletionStatement.inTransaction(schema);
        this.completionWithReference = CompletionStatement.inTransactionWithReference(schema);
        this.completionOfLease = CompletionStatement.ofLease(schema);
        this.find = schema.resolve(FIND);
        this.findAnswered = schema.resolve(FIND_ANSWERED);
        this.findSettled = schema.resolve(FIND_SETTLED);
        this.fail = schema.resolve(FAIL);
        this.extendLease = schema.resolve(EXTEND_LEASE);
        this.recordFailure = schema.resolve(RECORD_FAILURE);
        this.claimedBy = claimedBy;
    }

    @Override
    public boolean isProbablyAnswered(UUID id) {
        return answered.contains(id);
    }

    /** Only settled requests count: a claim that is running has to be waited for. */
    @Override
    public Optional<Claim> findAnswered(Connection connection, ClaimRequest request) {
        try (MultiStatement statements = MultiStatement.prepare(connection, findAnswered)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(WaitBound.remaining(request.waitLimit(), System.nanoTime()));
            parameters.uuid(request.id());
            statements.execute();
            return firstOf(statements.nextRows())
                    .filter(stored -> stored.status() != RequestStatus.PROCESSING)
                    .map(stored -> stored.answerTo(request));
        } catch (SQLException failure) {
            throw SqlFailures.translate("find the answer to the " + request.intent(), findAnswered, failure);
        }
    }

    @Override
    public Claim claim(Connection connection, ClaimRequest request) {
        long start = System.nanoTime();
        for (int attempt = 1; attempt <= MAX_CLAIM_ATTEMPTS; attempt++) {
            WaitBound bound = WaitBound.remaining(request.waitLimit(), start);
            try {
                Claim answer = claimOrFind(connection, request, bound, start);
                if (answer != null) {
                    return answer;
                }
            } catch (SQLException failure) {
                if (bound.ended(failure)) {
                    return new Claim.InProgress(failure);
                }
                throw SqlFailures.translate(
                        "claim the " + request.intent(), insertOf(request).sql(), failure);
            }
        }
        throw new IllegalStateException("The row of the " + request.intent() + " changed or vanished "
                + MAX_CLAIM_ATTEMPTS + " times while it was looked at: something writes it all the time");
    }

    /** Returns null if the row changed between two statements, so that the claim has to be tried again. */
    private @Nullable Claim claimOrFind(Connection connection, ClaimRequest request, WaitBound bound, long start)
            throws SQLException {
        if (insert(connection, request, bound)) {
            return granted(connection, request, 1, Claim.Granted.Origin.NEW, bound);
        }
        Optional<StoredRequest> found = find(connection, request.id());
        return found.isEmpty() ? null : answer(connection, request, found.get(), start);
    }

    private @Nullable Claim answer(Connection connection, ClaimRequest request, StoredRequest stored, long start)
            throws SQLException {
        answered.add(request.id());
        Claim answer = stored.answerTo(request);
        if (answer != null) {
            return answer;
        }
        WaitBound bound = WaitBound.remaining(request.waitLimit(), start);
        return claimAgain(connection, request, stored.attempt(), bound)
                ? granted(connection, request, stored.attempt() + 1, stored.origin(), bound)
                : null;
    }

    /** A lease begins when it is granted: what the statement took for now may be from before it waited for another claim. */
    private Claim granted(
            Connection connection, ClaimRequest request, int attempt, Claim.Granted.Origin origin, WaitBound bound) {
        Lease lease = request.lease();
        if (lease != null && bound.elapsed().compareTo(LONGEST_WITHOUT_A_WAIT) > 0) {
            extendLease(connection, new Fence(request.id(), attempt, lease.token()), lease.duration());
        }
        return new Claim.Granted(attempt, origin);
    }

    private boolean insert(Connection connection, ClaimRequest request, WaitBound bound) throws SQLException {
        ClaimInsert insert = insertOf(request);
        try (MultiStatement statements = MultiStatement.prepare(connection, insert.sql())) {
            insert.bind(statements.parameters(), request, claimedBy, bound);
            return statements.update() == 1;
        }
    }

    private boolean claimAgain(Connection connection, ClaimRequest request, int attempt, WaitBound bound)
            throws SQLException {
        try (MultiStatement statements = MultiStatement.prepare(connection, takeover.sql())) {
            takeover.bind(statements.parameters(), request, attempt, claimedBy, bound);
            return statements.update() == 1;
        }
    }

    private ClaimInsert insertOf(ClaimRequest request) {
        if (request.completeAtOnce()) {
            return insertCompleted;
        }
        return request.lease() == null ? insertInTransaction : insertLeased;
    }

    private CompletionStatement completionOf(Completion completed) {
        if (completed.fence().token() != null) {
            return completionOfLease;
        }
        return completed.hasReference() ? completionWithReference : completion;
    }

    private Optional<StoredRequest> find(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(find)) {
            statement.setObject(1, id);
            return firstOf(statement.executeQuery());
        }
    }

    @Override
    public Optional<StoredRequest> findSettled(Connection connection, UUID id) {
        try (MultiStatement statements = MultiStatement.prepare(connection, findSettled)) {
            statements.parameters().uuid(id);
            statements.execute();
            return firstOf(statements.nextRows());
        } catch (SQLException failure) {
            throw SqlFailures.translate("look at a request", findSettled, failure);
        }
    }

    private static Optional<StoredRequest> firstOf(ResultSet rows) throws SQLException {
        try (rows) {
            return rows.next() ? Optional.of(map(rows)) : Optional.empty();
        }
    }

    private static StoredRequest map(ResultSet row) throws SQLException {
        Long leaseRemaining = row.getObject(12, Long.class);
        return new StoredRequest(
                IntentColumns.readAny(row),
                new Fingerprint(row.getInt(5), row.getBytes(4)),
                StatusColumn.statusOf(row.getString(6)),
                row.getInt(8),
                row.getString(7),
                row.getString(9),
                row.getString(10),
                row.getObject(11, UUID.class),
                leaseRemaining == null ? null : Duration.ofMillis(leaseRemaining));
    }

    @Override
    public boolean complete(Connection connection, Completion completion) {
        answered.add(completion.fence().requestId());
        CompletionStatement statement = completionOf(completion);
        return update(
                connection, "complete a claim", statement.sql(), parameters -> statement.bind(parameters, completion));
    }

    @Override
    public CompletingCommit completingCommit(Connection connection, Completion completion) {
        answered.add(completion.fence().requestId());
        CompletionStatement statement = completionOf(completion);
        String sql = Objects.requireNonNull(
                statement.withCommit(), "what has a lease is completed in a transaction that is committed later");
        PreparedStatement prepared = null;
        try {
            prepared = connection.prepareStatement(sql);
            statement.bind(new StatementParameters(prepared), completion);
            return new PreparedCompletingCommit(prepared);
        } catch (SQLException failure) {
            JdbcUtils.closeStatement(prepared);
            throw SqlFailures.translate("prepare the completion of a claim", sql, failure);
        }
    }

    @Override
    public boolean fail(Connection connection, Fence fence, Failure failure) {
        return update(connection, "record the failure of a lease", fail, parameters -> {
            bindFailure(parameters, failure);
            bindFence(parameters, fence);
        });
    }

    @Override
    public boolean extendLease(Connection connection, Fence fence, Duration duration) {
        return update(connection, "extend a lease", extendLease, parameters -> {
            parameters.duration(duration);
            parameters.duration(duration);
            parameters.duration(duration);
            bindFence(parameters, fence);
        });
    }

    @Override
    public boolean recordFailure(Connection connection, FailureRecord failed) {
        return update(connection, "record a failure", recordFailure, parameters -> {
            parameters.uuid(failed.id());
            parameters.intent(failed.intent());
            bindFingerprint(parameters, failed.fingerprint());
            bindFailure(parameters, failed.failure());
            parameters.string(claimedBy);
            parameters.integer(failed.attempt());
            parameters.duration(failed.retention());
        });
    }

    private static boolean update(Connection connection, String task, String sql, Binding binding) {
        try (MultiStatement statements = MultiStatement.prepare(connection, sql)) {
            binding.bind(statements.parameters());
            return statements.update() == 1;
        } catch (SQLException failure) {
            throw SqlFailures.translate(task, sql, failure);
        }
    }

    @Override
    public TransactionState transactionState(Connection connection) {
        try {
            BaseConnection driver = connection.unwrap(BaseConnection.class);
            return switch (driver.getTransactionState()) {
                case OPEN -> ClaimMark.isOn(driver) ? TransactionState.CLAIMED : TransactionState.OPEN;
                case FAILED -> TransactionState.ABORTED;
                case IDLE -> TransactionState.ENDED;
            };
        } catch (SQLException failure) {
            throw SqlFailures.translate("read the state of the transaction", null, failure);
        }
    }

    static void bindFingerprint(StatementParameters parameters, Fingerprint fingerprint) throws SQLException {
        parameters.bytes(fingerprint.hash());
        parameters.integer(fingerprint.version());
    }

    private static void bindFailure(StatementParameters parameters, Failure failure) throws SQLException {
        parameters.string(
                StatusColumn.textOf(failure.isFinal() ? RequestStatus.FAILED_FINAL : RequestStatus.FAILED_RETRYABLE));
        parameters.string(failure.code());
        parameters.string(failure.message());
    }

    private static void bindFence(StatementParameters parameters, Fence fence) throws SQLException {
        parameters.uuid(fence.requestId());
        parameters.integer(fence.attempt());
        parameters.uuid(fence.token());
    }

    @FunctionalInterface
    private interface Binding {

        void bind(StatementParameters parameters) throws SQLException;
    }
}
