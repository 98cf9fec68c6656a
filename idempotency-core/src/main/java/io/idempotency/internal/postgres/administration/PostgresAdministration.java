package io.idempotency.internal.postgres.administration;

import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import io.idempotency.BlockedClaims;
import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.StepRecord;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.request.RequestAdministration;
import io.idempotency.internal.postgres.request.ResumptionScheduler;

/** The queries and changes of operators that are about calls. Each change is logged. */
public final class PostgresAdministration implements IdempotencyAdministration {

    private final InterventionLog log = new InterventionLog();

    private final BoundedTransaction transaction;

    private final RequestAdministration requests;

    private final BlockedBackends blockedBackends;

    /**
     * Prepares the statements.
     *
     * @param scheduler lets calls be resumed; {@code null} if none may be
     */
    public PostgresAdministration(Schema schema, DataSource dataSource, @Nullable ResumptionScheduler scheduler) {
        this.transaction = new BoundedTransaction(dataSource);
        this.requests = new RequestAdministration(schema, transaction, scheduler);
        this.blockedBackends = new BlockedBackends(schema);
    }

    @Override
    public Optional<IdempotencyRecord> find(Intent intent) {
        return requests.find(intent);
    }

    @Override
    public Optional<String> findResponse(Intent intent) {
        return requests.findResponse(intent);
    }

    @Override
    public List<IdempotencyRecord> search(
            @Nullable String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable RequestStatus status,
            int limit) {
        return requests.search(scope, caller, key, status, requireLimit(limit));
    }

    @Override
    public List<IdempotencyRecord> findStaleLeases(int limit) {
        return requests.findStaleLeases(requireLimit(limit));
    }

    @Override
    public List<IdempotencyRecord> findAbandoned(int limit) {
        return requests.findAbandoned(requireLimit(limit));
    }

    @Override
    public List<IdempotencyRecord> findHalfDone(int limit) {
        return requests.findHalfDone(requireLimit(limit));
    }

    @Override
    public List<IdempotencyRecord> findWithAttempts(int attempts, int limit) {
        if (attempts < 1) {
            throw new IllegalArgumentException("The number of attempts must be at least 1, not " + attempts);
        }
        return requests.findWithAttempts(attempts, requireLimit(limit));
    }

    @Override
    public void releaseStale(Intent intent, Reason reason) {
        requests.releaseStale(intent, reason);
        log.changed("release", intent, reason);
    }

    @Override
    public void completeStale(Intent intent, String responseBody, Reason reason) {
        requests.completeStale(intent, responseBody);
        log.changed("complete", intent, reason);
    }

    @Override
    public List<StepRecord> findSteps(Intent intent) {
        return requests.findSteps(intent);
    }

    @Override
    public void retryFrom(Intent intent, String step, Reason reason) {
        requests.retryFrom(intent, step, reason);
        log.changed("retry", intent, reason);
    }

    @Override
    public void forget(Intent intent, Reason reason) {
        requests.forget(intent);
        log.changed("forget", intent, reason);
    }

    @Override
    public BlockedClaims findBlockedClaims(int limit) {
        requireLimit(limit);
        return transaction.query(jdbcClient -> blockedBackends.find(jdbcClient, limit));
    }

    /** Returns the limit of a query if it is in range. */
    public static int requireLimit(int limit) {
        if (limit < 1 || limit > MAX_ROWS) {
            throw new IllegalArgumentException("The limit must be 1 to " + MAX_ROWS + ", not " + limit);
        }
        return limit;
    }
}
