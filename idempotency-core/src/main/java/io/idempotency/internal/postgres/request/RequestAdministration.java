package io.idempotency.internal.postgres.request;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.InterventionRefusedException;
import io.idempotency.RequestStatus;
import io.idempotency.StepRecord;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.TimeColumns;

/** The queries and changes of operators in the table {@code idempotency_request}. */
public final class RequestAdministration {

    private static final Logger logger = LoggerFactory.getLogger(RequestAdministration.class);

    private final Schema schema;

    private final BoundedTransaction transaction;

    private final @Nullable ResumptionScheduler scheduler;

    /**
     * Prepares the statements.
     *
     * @param scheduler lets calls be resumed; {@code null} if none may be
     */
    public RequestAdministration(
            Schema schema, BoundedTransaction transaction, @Nullable ResumptionScheduler scheduler) {
        this.schema = schema;
        this.transaction = transaction;
        this.scheduler = scheduler;
    }

    /** Finds a request. */
    public Optional<IdempotencyRecord> find(Intent intent) {
        return query(RequestSql.DESCRIBE_ONE, RequestKey.idOf(intent), intent.caller()).stream()
                .filter(found -> found.intent().equals(intent))
                .findFirst();
    }

    /** Finds the response of a request. */
    public Optional<String> findResponse(Intent intent) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(RequestSql.FIND_RESPONSE))
                .params(parametersOf(intent))
                .query(String.class)
                .optional());
    }

    /**
     * Finds requests, those claimed last first.
     *
     * @param scope the scope of the requests; {@code null} for any
     * @param caller the caller of the requests; {@code null} for any
     * @param key the key of the requests; {@code null} for any
     * @param status the status of the requests; {@code null} for any
     */
    public List<IdempotencyRecord> search(
            @Nullable String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable RequestStatus status,
            int limit) {
        String statusText = status == null ? null : RequestColumns.textOf(status);
        return query(RequestSql.SEARCH, scope, scope, caller, caller, key, key, statusText, statusText, limit);
    }

    /** Finds leases that have expired, the oldest first. */
    public List<IdempotencyRecord> findStaleLeases(int limit) {
        return query(RequestSql.FIND_STALE_LEASES, limit);
    }

    /** Finds requests without a lease that were committed in processing, the oldest first. */
    public List<IdempotencyRecord> findAbandoned(int limit) {
        return query(RequestSql.FIND_ABANDONED, limit);
    }

    /** Finds calls that have failed after recorded steps, those that failed first at the beginning. */
    public List<IdempotencyRecord> findHalfDone(int limit) {
        return query(RequestSql.FIND_HALF_DONE, limit);
    }

    /** Finds requests that were attempted often, those with the most attempts first. */
    public List<IdempotencyRecord> findWithAttempts(int attempts, int limit) {
        return query(RequestSql.FIND_WITH_ATTEMPTS, attempts, limit);
    }

    /**
     * Releases a stale request, so that the next caller reclaims it.
     *
     * @throws InterventionRefusedException if the request is not stale
     */
    public void releaseStale(Intent intent, Reason reason) {
        change("release", intent, RequestSql.RELEASE_STALE, true, reason.who() + ": " + reason.why());
    }

    /**
     * Completes a stale request.
     *
     * @throws InterventionRefusedException if the request is not stale
     * @throws IllegalArgumentException if the response is not JSON
     */
    public void completeStale(Intent intent, String responseBody) {
        try {
            change("complete", intent, RequestSql.COMPLETE_STALE, false, responseBody);
        } catch (DataIntegrityViolationException refused) {
            throw new IllegalArgumentException(
                    "The response body for the " + intent + " is not JSON that PostgreSQL can store; a text needs its"
                            + " quotation marks, and a method without a result has null: "
                            + refused.getMostSpecificCause().getMessage(),
                    refused);
        }
    }

    /** Finds the recorded steps of a request. */
    public List<StepRecord> findSteps(Intent intent) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(RequestSql.FIND_STEPS_OF_INTENT))
                .params(parametersOf(intent))
                .query((row, number) -> new StepRecord(
                        row.getString("name"),
                        row.getInt("attempt"),
                        TimeColumns.read(row, "recorded_at"),
                        row.getString("failure_code"),
                        row.getString("failure_message")))
                .list());
    }

    /**
     * Deletes the record of a step and those after it, and lets the next caller reclaim the request.
     *
     * @throws InterventionRefusedException if the request has not failed and is not stale, or has no such step
     */
    public void retryFrom(Intent intent, String step, Reason reason) {
        List<String> recorded = findSteps(intent).stream().map(StepRecord::name).toList();
        if (!recorded.contains(step) && find(intent).isPresent()) {
            throw new InterventionRefusedException(
                    "Cannot retry the " + intent + " from the step '" + step + "': it has recorded "
                            + (recorded.isEmpty() ? "no steps" : recorded),
                    true);
        }
        change(
                "retry",
                intent,
                RequestSql.RETRY_FROM_STEP,
                true,
                step,
                reason.who() + ": from '" + step + "', " + reason.why(),
                step,
                step);
    }

    /**
     * Deletes a request that no call holds.
     *
     * @throws InterventionRefusedException if a call holds the request or it does not exist
     */
    public void forget(Intent intent) {
        change("forget", intent, RequestSql.FORGET, false);
    }

    private List<IdempotencyRecord> query(String sql, @Nullable Object... parameters) {
        return transaction.query(jdbcClient ->
                jdbcClient
                        .sql(schema.resolve(sql))
                        .params(parameters)
                        .query((row, number) -> describe(row))
                        .list()
                        .stream()
                        .flatMap(Optional::stream)
                        .toList());
    }

    /** Passes over a row whose status this version does not know, so that it hides no other. */
    private static Optional<IdempotencyRecord> describe(ResultSet row) throws SQLException {
        try {
            return Optional.of(RequestColumns.describe(row));
        } catch (IllegalStateException unknown) {
            logger.warn("The {} is left out: {}", IntentColumns.readAny(row), unknown.getMessage());
            return Optional.empty();
        }
    }

    private void change(String operation, Intent intent, String sql, boolean isResumed, Object... values) {
        List<Object> parameters = new ArrayList<>(List.of(values));
        parameters.addAll(parametersOf(intent));
        int changed = transaction.change(jdbcClient -> {
            int updated = jdbcClient.sql(schema.resolve(sql)).params(parameters).update();
            if (updated == 1 && scheduler != null) {
                reschedule(jdbcClient, intent, scheduler, isResumed);
            }
            return updated;
        });
        if (changed != 1) {
            Optional<IdempotencyRecord> found = find(intent);
            throw new InterventionRefusedException(
                    "Cannot " + operation + " the " + intent + ": "
                            + found.map(RequestAdministration::describe).orElse("nothing is stored for it"),
                    found.isPresent());
        }
    }

    private void reschedule(JdbcClient jdbcClient, Intent intent, ResumptionScheduler scheduler, boolean isResumed) {
        UUID id = RequestKey.idOf(intent);
        if (!isResumed) {
            jdbcClient.sql(schema.resolve(scheduler.removal())).param(id).update();
            return;
        }
        UUID token = UUID.randomUUID();
        if (jdbcClient
                        .sql(schema.resolve(scheduler.release()))
                        .params(token, id)
                        .update()
                == 1) {
            List<Object> parameters = new ArrayList<>(List.of(token));
            parameters.addAll(parametersOf(intent));
            jdbcClient
                    .sql(schema.resolve(RequestSql.RESUME_RELEASED))
                    .params(parameters)
                    .update();
        }
    }

    private static List<Object> parametersOf(Intent intent) {
        return List.of(
                RequestKey.idOf(intent),
                intent.scope(),
                intent.caller(),
                intent.key().value());
    }

    private static String describe(IdempotencyRecord found) {
        return found.lockedUntil() == null || found.status() != RequestStatus.PROCESSING
                ? "it is not stale but " + found.status()
                : "attempt " + found.attempt() + " of " + found.claimedBy() + " holds its lease until "
                        + found.lockedUntil();
    }
}
