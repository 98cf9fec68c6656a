package io.idempotency.internal.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;

import io.idempotency.BlockedClaims;
import io.idempotency.DeadMessage;
import io.idempotency.FailingMessage;
import io.idempotency.HandledMessage;
import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.InterventionRefusedException;
import io.idempotency.PendingMessage;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.RequestId;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.Schema;

/** What operators see of the tables, and what they may change. */
final class IdempotencyRequestAdministration implements IdempotencyAdministration {

    /** A request without a lease is committed as processing only if its method committed by itself. */
    private static final String IS_STALE =
            "(status = 'processing' and (locked_until is null or locked_until <= clock_timestamp()))\n";

    private static final String DESCRIBE = """
            select idempotency_scope, caller, idempotency_key, status, %s,
                   attempt_count, claimed_by, created_at, claimed_at, locked_until, expires_at,
                   response_body is not null, result_ref_type, result_ref_id, failure_code, failure_message
            from {schema}.idempotency_request
            """.formatted(IS_STALE);

    private static final String FIND = DESCRIBE + "where request_id = ?";

    private static final String FIND_RESPONSE = """
            select response_body
            from {schema}.idempotency_request
            where request_id = ?
                and (idempotency_scope, caller, idempotency_key) operator(pg_catalog.=) (?, ?, ?)
                and response_body is not null""";

    private static final String SEARCH = DESCRIBE + """
            where (cast(? as text) is null or idempotency_scope operator(pg_catalog.=) ?)
                and (cast(? as text) is null or idempotency_key operator(pg_catalog.=) ?)
                and (cast(? as text) is null or status = cast(? as text))
            order by claimed_at desc
            limit ?""";

    /** By the index of leases, which a volatile time could not use. */
    private static final String FIND_STALE_LEASES = DESCRIBE + """
            where locked_until <= statement_timestamp()
            order by locked_until
            limit ?""";

    private static final String FIND_ABANDONED = DESCRIBE + """
            where status = 'processing' and locked_until is null
            order by claimed_at
            limit ?""";

    private static final String FIND_WITH_ATTEMPTS = DESCRIBE + """
            where attempt_count >= ?
            order by attempt_count desc, claimed_at desc
            limit ?""";

    /** What shares a request id with another intent is not to be changed in its place. */
    private static final String OF_INTENT =
            "where request_id = ? and (idempotency_scope, caller, idempotency_key) operator(pg_catalog.=) (?, ?, ?)\n";

    /** Without its token the holder finds out that the request is not its own any more. */
    private static final String RELEASE_STALE = """
            update {schema}.idempotency_request
            set status = 'failed_retryable', failure_code = 'released', failure_message = left(cast(? as text), 1000),
                claim_token = null, locked_until = null, response_expires_at = null, updated_at = clock_timestamp()
            """ + OF_INTENT + "    and " + IS_STALE;

    /** Without its token the holder cannot take the operator's completion for its own. */
    private static final String COMPLETE_STALE = """
            update {schema}.idempotency_request
            set status = 'succeeded', response_body = cast(? as json), claim_token = null, locked_until = null,
                updated_at = clock_timestamp(), expires_at = clock_timestamp() + (expires_at - claimed_at),
                response_expires_at = clock_timestamp() + (response_expires_at - claimed_at)
            """ + OF_INTENT + "    and " + IS_STALE;

    private static final String FORGET = "delete from {schema}.idempotency_request\n" + OF_INTENT
            + "    and (status <> 'processing' or " + IS_STALE + ")";

    private final Schema schema;

    private final BoundedTransaction transaction;

    private final InterventionLog log = new InterventionLog();

    private final ReceivedMessages receivedMessages;

    private final BlockedBackends blockedBackends;

    private final OutboxMessages outboxMessages;

    IdempotencyRequestAdministration(Schema schema, DataSource dataSource) {
        this.schema = schema;
        this.transaction = new BoundedTransaction(dataSource);
        this.receivedMessages = new ReceivedMessages(schema, transaction);
        this.blockedBackends = new BlockedBackends(schema);
        this.outboxMessages = new OutboxMessages(schema, transaction);
    }

    @Override
    public Optional<IdempotencyRecord> find(Intent intent) {
        return query(FIND, RequestId.of(intent)).stream()
                .filter(found -> found.intent().equals(intent))
                .findFirst();
    }

    @Override
    public Optional<String> findResponse(Intent intent) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(FIND_RESPONSE))
                .params(parametersOf(intent))
                .query(String.class)
                .optional());
    }

    @Override
    public List<IdempotencyRecord> search(
            @Nullable String scope, @Nullable String key, @Nullable RequestStatus status, int limit) {
        String statusText = status == null ? null : StatusColumn.textOf(status);
        return query(SEARCH, scope, scope, key, key, statusText, statusText, requireInRange(limit));
    }

    @Override
    public List<IdempotencyRecord> findStaleLeases(int limit) {
        return query(FIND_STALE_LEASES, requireInRange(limit));
    }

    @Override
    public List<IdempotencyRecord> findAbandoned(int limit) {
        return query(FIND_ABANDONED, requireInRange(limit));
    }

    @Override
    public List<IdempotencyRecord> findWithAttempts(int attempts, int limit) {
        if (attempts < 1) {
            throw new IllegalArgumentException("The number of attempts must be at least 1, not " + attempts);
        }
        return query(FIND_WITH_ATTEMPTS, attempts, requireInRange(limit));
    }

    @Override
    public void releaseStale(Intent intent, Reason reason) {
        change("release", intent, reason, RELEASE_STALE, reason.who() + ": " + reason.why());
    }

    @Override
    public void completeStale(Intent intent, String responseBody, Reason reason) {
        try {
            change("complete", intent, reason, COMPLETE_STALE, responseBody);
        } catch (DataIntegrityViolationException refused) {
            throw new IllegalArgumentException(
                    "The response body for the " + intent + " is not JSON that PostgreSQL can store; a text needs its"
                            + " quotation marks, and a method without a result has null: "
                            + refused.getMostSpecificCause().getMessage(),
                    refused);
        }
    }

    @Override
    public void forget(Intent intent, Reason reason) {
        change("forget", intent, reason, FORGET);
    }

    @Override
    public List<FailingMessage> findFailingMessages(int limit) {
        return receivedMessages.findFailing(requireInRange(limit));
    }

    @Override
    public Optional<HandledMessage> findHandledMessage(String consumer, String messageId) {
        return receivedMessages.findHandled(consumer, messageId);
    }

    @Override
    public BlockedClaims findBlockedClaims(int limit) {
        requireInRange(limit);
        return transaction.query(jdbcClient -> blockedBackends.find(jdbcClient, limit));
    }

    @Override
    public List<PendingMessage> findPendingMessages(int limit) {
        return outboxMessages.findPending(requireInRange(limit));
    }

    @Override
    public List<DeadMessage> findDeadMessages(int limit) {
        return outboxMessages.findDead(requireInRange(limit));
    }

    @Override
    public void requeue(UUID messageId, Reason reason) {
        outboxMessages.requeue(messageId);
        log.changed("requeue", messageId, reason);
    }

    private List<IdempotencyRecord> query(String sql, @Nullable Object... parameters) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(sql))
                .params(parameters)
                .query((row, number) -> map(row))
                .list());
    }

    private void change(String operation, Intent intent, Reason reason, String sql, Object... values) {
        List<Object> parameters = new ArrayList<>(List.of(values));
        parameters.addAll(parametersOf(intent));
        int changed = transaction.change(jdbcClient ->
                jdbcClient.sql(schema.resolve(sql)).params(parameters).update());
        if (changed != 1) {
            Optional<IdempotencyRecord> found = find(intent);
            throw new InterventionRefusedException(
                    "Cannot " + operation + " the " + intent + ": "
                            + found.map(IdempotencyRequestAdministration::describe)
                                    .orElse("nothing is stored for it"),
                    found.isPresent());
        }
        log.changed(operation, intent, reason);
    }

    private static List<Object> parametersOf(Intent intent) {
        return List.of(
                RequestId.of(intent),
                intent.scope(),
                intent.caller(),
                intent.key().value());
    }

    private static String describe(IdempotencyRecord found) {
        return found.lockedUntil() == null
                ? "it is not stale but " + found.status()
                : "attempt " + found.attempt() + " of " + found.claimedBy() + " holds its lease until "
                        + found.lockedUntil();
    }

    private static int requireInRange(int limit) {
        if (limit < 1 || limit > MAX_ROWS) {
            throw new IllegalArgumentException("The limit must be 1 to " + MAX_ROWS + ", not " + limit);
        }
        return limit;
    }

    private static IdempotencyRecord map(ResultSet row) throws SQLException {
        return new IdempotencyRecord(
                IntentColumns.readAny(row),
                StatusColumn.statusOf(row.getString(4)),
                row.getBoolean(5),
                row.getInt(6),
                row.getString(7),
                instant(row, 8),
                instant(row, 9),
                row.getObject(10) == null ? null : instant(row, 10),
                instant(row, 11),
                row.getBoolean(12),
                row.getString(13),
                row.getString(14),
                row.getString(15),
                row.getString(16));
    }

    private static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
