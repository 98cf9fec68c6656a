package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.idempotency.RequestStatus;
import io.idempotency.StepsChangedException;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.KeyedWrite;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RecordedStep;
import io.idempotency.internal.claim.StoredRequest;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;
import io.idempotency.internal.transaction.FailedCommit;
import io.idempotency.internal.transaction.TransactionState;

/** The store of claims in the table {@code idempotency_request}. */
public final class PostgresClaimStore implements ClaimStore {

    /** If a row is purged or rolled back between the insert and the query, the claim is tried again. */
    private static final int MAX_CLAIM_ATTEMPTS = 10;

    /** A claim that takes longer has waited for another one, so that its lease must be extended. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

    private final ClaimStatements completed;

    private final ClaimStatements inTransaction;

    private final ClaimStatements leased;

    private final ClaimStatements leasedAlone;

    private final ClaimStatements leasedResumable;

    private final RequestColumns.Insert insertFinished;

    private final WriteStatements writes;

    private final StepStatements steps;

    private final LeaseStatements leases;

    private final String complete;

    private final String completeWithReference;

    private final String findCommitted;

    private final String findSettled;

    private final String revive;

    private final RequestColumns.Insert insertFailed;

    private final String claimedBy;

    private final @Nullable ResumptionScheduler scheduler;

    /**
     * Prepares the statements.
     *
     * @param scheduler lets calls be resumed; {@code null} if none may be
     */
    public PostgresClaimStore(Schema schema, String claimedBy, @Nullable ResumptionScheduler scheduler) {
        RequestColumns.Insert insertLeased = RequestColumns.Insert.leased(schema);
        Reclaim reclaimLeased = Reclaim.leased(schema);
        this.completed =
                ClaimStatements.within(schema, RequestColumns.Insert.completed(schema), Reclaim.completed(schema));
        this.inTransaction = ClaimStatements.within(
                schema, RequestColumns.Insert.inTransaction(schema), Reclaim.inTransaction(schema));
        this.leased = ClaimStatements.within(schema, insertLeased, reclaimLeased);
        this.leasedAlone = ClaimStatements.alone(schema, insertLeased, reclaimLeased);
        this.leasedResumable = ClaimStatements.beginning(schema, insertLeased, reclaimLeased);
        this.insertFinished = RequestColumns.Insert.finished(schema);
        this.writes = new WriteStatements(schema, insertFinished, claimedBy);
        this.steps = new StepStatements(schema);
        this.leases = new LeaseStatements(schema, scheduler);
        this.complete = schema.resolve(RequestSql.COMPLETE);
        this.completeWithReference = schema.resolve(RequestSql.COMPLETE_WITH_REFERENCE);
        this.findCommitted = schema.resolve(RequestSql.FIND_COMMITTED);
        this.findSettled = schema.resolve(RequestSql.FIND_SETTLED);
        this.revive = schema.resolve(RequestSql.REVIVE);
        this.insertFailed = RequestColumns.Insert.failed(schema);
        this.claimedBy = claimedBy;
        this.scheduler = scheduler;
    }

    @Override
    public Optional<StoredRequest> find(Connection connection, ClaimRequest request) {
        try {
            return findBounded(
                    connection, request, findCommitted, WaitBound.remaining(request.waitLimit(), System.nanoTime()));
        } catch (SQLException failure) {
            throw SqlFailures.translate("find the row of the " + request.intent(), findCommitted, failure);
        }
    }

    @Override
    public ClaimResult claim(Connection connection, ClaimRequest request) {
        ClaimStatements statements = request.completeAtOnce() ? completed : inTransaction;
        return claim(new Claim(
                connection, request, request.lease() == null ? statements : leased, System.nanoTime(), expected -> {}));
    }

    @Override
    public ClaimResult claimAndCommit(
            Connection connection, ClaimRequest request, Consumer<ClaimResult> beforeReclaim) {
        ClaimStatements statements = scheduler != null && request.isResumable() ? leasedResumable : leasedAlone;
        return claim(new Claim(connection, request, statements, System.nanoTime(), beforeReclaim));
    }

    private ClaimResult claim(Claim claim) {
        for (int attempt = 1; attempt <= MAX_CLAIM_ATTEMPTS; attempt++) {
            WaitBound bound = claim.remaining();
            try {
                ClaimResult result = claimOrFind(claim, bound);
                if (result != null) {
                    return result;
                }
            } catch (SQLException failure) {
                if (bound.ended(failure)) {
                    return ClaimResult.inProgress(failure);
                }
                throw SqlFailures.translate(
                        "claim the " + claim.request.intent(), claim.statements.insertSql(), failure);
            }
        }
        throw new IllegalStateException("The row of the " + claim.request.intent() + " changed or vanished "
                + MAX_CLAIM_ATTEMPTS + " times while it was read: something writes it all the time, or another unique"
                + " index of the table than its primary key refuses the row");
    }

    /** Returns null if the row changed between two statements, so that the claim has to be tried again. */
    private @Nullable ClaimResult claimOrFind(Claim claim, WaitBound bound) throws SQLException {
        if (insert(claim, bound)) {
            return granted(claim, ClaimResult.granted(Kind.GRANTED_NEW, 1), bound);
        }
        String find = claim.statements.find();
        Optional<StoredRequest> found = claim.statements.isAlone()
                ? findBounded(claim.connection, claim.request, find, claim.remaining())
                : findInTransaction(
                        claim.connection,
                        claim.request.id(),
                        claim.request.intent().caller(),
                        find);
        return found.isEmpty() ? null : resultOf(claim, found.get());
    }

    private @Nullable ClaimResult resultOf(Claim claim, StoredRequest stored) throws SQLException {
        ClaimResult result = stored.answerTo(claim.request);
        WaitBound bound = claim.remaining();
        if (result != null) {
            boolean commits = claim.statements.isAlone();
            return !result.isGranted() || renewLease(claim, result, bound, commits) ? result : null;
        }
        if (!stored.isReclaimableBy(claim.request)) {
            return ClaimResult.refused(new StepsChangedException(
                    claim.request.intent(), "is not leased any more, so that it has no steps", List.of(), null));
        }
        ClaimResult reclaimed = ClaimResult.granted(stored.kindOfReclaim(), stored.attempt() + 1);
        claim.beforeReclaim.accept(reclaimed);
        return reclaim(claim, stored.attempt(), bound) ? granted(claim, reclaimed, bound) : null;
    }

    /**
     * Extends a lease whose claim has waited, because the lease was counted from the start of the wait. Returns null if another call has
     * taken it over since.
     */
    private @Nullable ClaimResult granted(Claim claim, ClaimResult result, WaitBound bound) throws SQLException {
        ClaimRequest request = claim.request;
        boolean isAlone = claim.statements.isAlone();
        if (request.lease() != null
                && bound.elapsed().compareTo(SHORTEST_WAIT) > 0
                && !renewLease(claim, result, LeaseStatements.boundOfHolder(), !claim.statements.leavesOpen())) {
            return null;
        }
        if (scheduler != null && request.isResumable()) {
            WaitBound rest = WaitBound.remaining(Duration.ofMillis(bound.milliseconds()), bound.start());
            committing(claim.connection, isAlone, () -> {
                scheduler.schedule(claim.connection, request, rest, isAlone);
                return true;
            });
        }
        return result;
    }

    /**
     * Lets a lease begin now, which was granted earlier: before a wait, or by a claim whose COMMIT was not answered. If the claim is
     * committed, a failure here is reported as a COMMIT without an answer: the row has no holder.
     */
    private boolean renewLease(Claim claim, ClaimResult granted, WaitBound bound, boolean commits) throws SQLException {
        Lease lease = Objects.requireNonNull(claim.request.lease());
        Fence fence = claim.request.fence(granted.attempt());
        try {
            return leases.extend(claim.connection, fence, lease.duration(), bound, commits);
        } catch (Throwable failure) {
            if (commits) {
                throw FailedCommit.afterCommit(failure);
            }
            throw failure;
        }
    }

    private boolean insert(Claim claim, WaitBound bound) throws SQLException {
        ClaimStatements sql = claim.statements;
        return committing(claim.connection, !sql.leavesOpen(), () -> {
            try (MultiStatement statements = MultiStatement.prepare(claim.connection, sql.insertSql())) {
                sql.insert().bind(statements.parameters(), claim.request, null, claimedBy, bound);
                return statements.update() == 1;
            }
        });
    }

    private boolean reclaim(Claim claim, int attempt, WaitBound bound) throws SQLException {
        ClaimStatements sql = claim.statements;
        return committing(claim.connection, !sql.leavesOpen(), () -> {
            try (MultiStatement statements = MultiStatement.prepare(claim.connection, sql.reclaimSql())) {
                sql.reclaim().bind(statements.parameters(), claim.request, attempt, claimedBy, bound);
                return statements.update() == 1;
            }
        });
    }

    private static boolean committing(
            Connection connection, boolean commits, FailedCommit.Message<Boolean, SQLException> message)
            throws SQLException {
        return commits ? FailedCommit.commitWith(connection, message) : message.send();
    }

    private static Optional<StoredRequest> findInTransaction(
            Connection connection, UUID requestId, String caller, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            RequestColumns.bindId(new StatementParameters(statement), requestId, caller);
            return firstOf(statement.executeQuery());
        }
    }

    private static Optional<StoredRequest> findBounded(
            Connection connection, ClaimRequest request, String sql, WaitBound bound) throws SQLException {
        try (MultiStatement statements = MultiStatement.prepare(connection, sql)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(bound);
            RequestColumns.bindId(parameters, request.id(), request.intent().caller());
            statements.execute();
            return firstOf(statements.nextRows());
        }
    }

    @Override
    public Optional<StoredRequest> findSettled(Connection connection, Fence fence) {
        try (MultiStatement statements = MultiStatement.prepare(connection, findSettled)) {
            RequestColumns.bindId(statements.parameters(), fence.requestId(), fence.caller());
            statements.execute();
            return firstOf(statements.nextRows());
        } catch (SQLException failure) {
            throw SqlFailures.translate("find a request after the end of its transactions", findSettled, failure);
        }
    }

    @Override
    public Optional<StoredRequest> findWithoutLock(Connection connection, Fence fence) {
        String find = inTransaction.find();
        try {
            return findInTransaction(connection, fence.requestId(), fence.caller(), find);
        } catch (SQLException failure) {
            throw SqlFailures.translate("find a request", find, failure);
        }
    }

    private static Optional<StoredRequest> firstOf(ResultSet rows) throws SQLException {
        try (rows) {
            return rows.next() ? Optional.of(map(rows)) : Optional.empty();
        }
    }

    private static StoredRequest map(ResultSet row) throws SQLException {
        Long leaseRemaining = row.getObject("lease_remaining", Long.class);
        return new StoredRequest(
                IntentColumns.readAny(row),
                new Fingerprint(row.getInt("hash_version"), row.getBytes("request_hash")),
                RequestColumns.statusOf(row.getString("status")),
                row.getInt("attempt_count"),
                row.getString("response_body"),
                row.getString("failure_code"),
                row.getString("failure_message"),
                row.getObject("claim_token", UUID.class),
                row.getBoolean("has_steps"),
                leaseRemaining == null ? null : Duration.ofMillis(leaseRemaining));
    }

    @Override
    public boolean complete(Connection connection, Completion completion) {
        Fence fence = completion.fence();
        if (fence.token() != null) {
            return leases.complete(connection, completion);
        }
        String sql = completion.hasReference() ? completeWithReference : complete;
        return MultiStatement.updateOne(connection, "complete a claim", sql, parameters -> {
            parameters.json(completion.responseBody());
            if (completion.hasReference()) {
                parameters.string(completion.resultType());
                parameters.string(completion.resultId());
            }
            RequestColumns.bindId(parameters, fence.requestId(), fence.caller());
            parameters.integer(fence.attempt());
        });
    }

    @Override
    public void completeWithCommit(Connection connection, Completion completion) {
        leases.completeWithCommit(connection, completion);
    }

    @Override
    public boolean completeAndCommit(Connection connection, Completion completion) {
        return leases.completeAndCommit(connection, completion);
    }

    @Override
    public void insertFinished(Connection connection, ClaimRequest request, Completion completion) {
        MultiStatement.updateOne(
                connection,
                "store the response of the " + request.intent(),
                insertFinished.sql(),
                parameters -> insertFinished.bind(parameters, request, completion, claimedBy));
    }

    @Override
    public void insertFinishedAndCommit(Connection connection, ClaimRequest request, Completion completion) {
        try (MultiStatement statements = MultiStatement.prepare(connection, insertFinished.withCommit())) {
            insertFinished.bind(statements.parameters(), request, completion, claimedBy);
            statements.execute();
        } catch (SQLException failure) {
            throw SqlFailures.translate(
                    "store the response of the " + request.intent() + " and commit",
                    insertFinished.withCommit(),
                    failure);
        }
    }

    @Override
    public KeyedWrite.Statement statement(String sql, Map<String, ? extends @Nullable Object> parameters) {
        return NamedStatement.bind(sql, parameters);
    }

    @Override
    public @Nullable String writeAndCommit(
            Connection connection, ClaimRequest request, Completion completion, KeyedWrite write, long maxRowBytes) {
        String row = writes.executeAndCommit(connection, request, completion, write, maxRowBytes);
        if (TransactionState.of(connection) != TransactionState.ENDED) {
            throw new IllegalStateException(
                    "The statements of the " + request.intent()
                            + " were executed without the COMMIT that follows them: one of them does not end where its text ends");
        }
        return row;
    }

    @Override
    public @Nullable String write(Connection connection, KeyedWrite write, int timeoutSeconds) {
        return writes.execute(connection, write, timeoutSeconds);
    }

    @Override
    public boolean recordStep(Connection connection, Fence fence, RecordedStep step) {
        return steps.record(connection, fence, step, false);
    }

    @Override
    public boolean recordStepAndCommit(Connection connection, Fence fence, RecordedStep step) {
        return steps.record(connection, fence, step, true);
    }

    @Override
    public List<RecordedStep> findSteps(Connection connection, Fence fence) {
        return steps.find(connection, fence);
    }

    @Override
    public boolean fail(Connection connection, Fence fence, Failure failure, @Nullable Duration resumeAfter) {
        return leases.fail(connection, fence, RequestColumns.statusOf(failure), failure, resumeAfter);
    }

    @Override
    public boolean abandon(Connection connection, Fence fence, Failure reason) {
        return leases.fail(connection, fence, RequestStatus.PROCESSING, reason, null);
    }

    @Override
    public boolean revive(Connection connection, Fence fence) {
        return MultiStatement.updateOne(
                connection,
                "take up a call that was given up",
                revive,
                parameters -> RequestColumns.bindFence(parameters, fence));
    }

    @Override
    public boolean extendLease(Connection connection, Fence fence, Duration duration) {
        return leases.extendAndCommit(connection, fence, duration);
    }

    @Override
    public boolean recordFailure(Connection connection, FailureRecord failed) {
        return MultiStatement.updateOne(
                connection,
                "record a failure",
                insertFailed.withCommit(),
                parameters -> insertFailed.bind(parameters, failed, claimedBy));
    }

    /** A claim that is being made. */
    private record Claim(
            Connection connection,
            ClaimRequest request,
            ClaimStatements statements,
            long start,
            Consumer<ClaimResult> beforeReclaim) {

        WaitBound remaining() {
            return WaitBound.remaining(request.waitLimit(), start);
        }
    }
}
