package io.idempotency.postgres;

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
import io.idempotency.claim.RequestId;

/** What operators see of the tables, and what they may change. */
final class IdempotencyRequestAdministration implements IdempotencyAdministration {

    /**
     * Claimed with a response to follow in a table of its own, which has not, before the time until which it would be kept:
     * as good as processing without a lease. A comparison with null does not end the look, which costs one at the table.
     */
    private static final String IS_UNANSWERED = """
            status = 'succeeded' and response_kept_until is not null and response_kept_until > clock_timestamp()
                and not exists (
                    select from {schema}.idempotency_response as s
                    where s.request_id = r.request_id and s.expires_at = r.response_kept_until)
            """;

    /** A request without a lease is committed as processing only if its method committed by itself. */
    private static final String IS_STALE = """
            ((status = 'processing' and (locked_until is null or locked_until <= clock_timestamp()))
                or (""" + IS_UNANSWERED + "))\n";

    /** Of few requests, because each is looked at in both tables. */
    private static final String DESCRIBE = """
            select idempotency_scope, caller, idempotency_key,
                   case when %s then 'processing' else status end, %s,
                   attempt_count, claimed_by, created_at, claimed_at, locked_until, r.expires_at,
                   coalesce(r.response_body, kept.response_body) is not null,
                   coalesce(r.result_ref_type, kept.result_ref_type), coalesce(r.result_ref_id, kept.result_ref_id),
                   failure_code, failure_message
            from (
            {requests}) as r
            left join {schema}.idempotency_response as kept
                on kept.request_id = r.request_id and kept.expires_at = r.response_kept_until
            {order}""".formatted(IS_UNANSWERED, IS_STALE);

    private static final String REQUESTS = "select *\nfrom {schema}.idempotency_request as r\n";

    private static final String FIND = described(REQUESTS + "where request_id = ?", "");

    private static final String FIND_RESPONSE = """
            select coalesce(r.response_body, kept.response_body)
            from {schema}.idempotency_request as r
            left join {schema}.idempotency_response as kept
                on kept.request_id = r.request_id and kept.expires_at = r.response_kept_until
            where r.request_id = ?
                and (idempotency_scope, caller, idempotency_key) operator(pg_catalog.=) (?, ?, ?)
                and coalesce(r.response_body, kept.response_body) is not null""";

    /** What has another status is left out before the table of responses is looked at. */
    private static final String SEARCH = described(REQUESTS + """
            where (cast(? as text) is null or idempotency_scope operator(pg_catalog.=) ?)
                and (cast(? as text) is null or idempotency_key operator(pg_catalog.=) ?)
                and (cast(? as text) is null
                    or (status = cast(? as text) or (cast(? as text) = 'processing' and status = 'succeeded'))
                        and case when %s then 'processing' else status end = cast(? as text))
            """.formatted(IS_UNANSWERED), "order by claimed_at desc");

    /** By the index of leases, which a volatile time could not use. */
    private static final String FIND_STALE_LEASES =
            described(REQUESTS + "where locked_until <= statement_timestamp()\n", "order by locked_until");

    /** Two looks, because one for both would look for the response of each request on its own. */
    private static final String FIND_ABANDONED = described(
            REQUESTS + "where status = 'processing' and locked_until is null\nunion all\n" + REQUESTS + "where "
                    + IS_UNANSWERED.replace("clock_timestamp", "statement_timestamp"),
            "order by claimed_at");

    private static final String FIND_WITH_ATTEMPTS =
            described(REQUESTS + "where attempt_count >= ?\n", "order by attempt_count desc, claimed_at desc");

    /** What shares a request id with another intent is not to be changed in its place. */
    private static final String OF_INTENT =
            "where request_id = ? and (idempotency_scope, caller, idempotency_key) operator(pg_catalog.=) (?, ?, ?)\n";

    /**
     * Before a change, which has to be of a later snapshot: one that had waited for the end of a call would see that its row
     * has changed, and not that its response is there.
     */
    private static final String LOCK = "select 1 from {schema}.idempotency_request\n" + OF_INTENT + "for update";

    /** Without its token the holder finds out that the request is not its own any more. */
    private static final String RELEASE_STALE = """
            update {schema}.idempotency_request as r
            set status = 'failed_retryable', failure_code = 'released', failure_message = left(cast(? as text), 1000),
                claim_token = null, locked_until = null, response_expires_at = null, response_kept_until = null,
                updated_at = clock_timestamp()
            """ + OF_INTENT + "    and " + IS_STALE + "returning request_id";

    /**
     * Without its token the holder cannot take the operator's completion for its own. The response is in the row, wherever
     * others are.
     */
    private static final String COMPLETE_STALE = """
            update {schema}.idempotency_request as r
            set status = 'succeeded', response_body = cast(? as json), claim_token = null, locked_until = null,
                updated_at = clock_timestamp(), expires_at = clock_timestamp() + (expires_at - claimed_at),
                response_kept_until = null,
                response_expires_at = clock_timestamp()
                    + (coalesce(response_expires_at, nullif(response_kept_until, expires_at)) - claimed_at)
            """ + OF_INTENT + "    and " + IS_STALE + "returning request_id";

    private static final String FORGET = """
            with forgotten as (
                delete from {schema}.idempotency_request as r
            """ + OF_INTENT + "    and (status <> 'processing' or " + IS_STALE + """
            )
                returning request_id, response_kept_until),
            response as (
                delete from {schema}.idempotency_response as s
                using forgotten as f
                where s.request_id = f.request_id and s.expires_at = f.response_kept_until)
            select request_id
            from forgotten""";

    private final Schema schema;

    private final OperatorTransaction transaction;

    private final InterventionLog log = new InterventionLog();

    private final ReceivedMessages receivedMessages;

    private final BlockedBackends blockedBackends;

    private final OutboxMessages outboxMessages;

    IdempotencyRequestAdministration(Schema schema, DataSource dataSource) {
        this.schema = schema;
        this.transaction = new OperatorTransaction(dataSource);
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
        return transaction.ask(jdbcClient -> jdbcClient
                .sql(schema.resolve(FIND_RESPONSE))
                .params(parametersOf(intent))
                .query(String.class)
                .optional());
    }

    @Override
    public List<IdempotencyRecord> search(
            @Nullable String scope, @Nullable String key, @Nullable RequestStatus status, int limit) {
        String statusText = status == null ? null : StatusColumn.textOf(status);
        return query(
                SEARCH, scope, scope, key, key, statusText, statusText, statusText, statusText, requireInRange(limit));
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
        return transaction.ask(jdbcClient -> blockedBackends.find(jdbcClient, limit));
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

    private static String described(String requests, String order) {
        String limited = order.isEmpty() ? requests : requests + order + "\nlimit ?";
        return DESCRIBE.replace("{requests}", limited).replace("{order}", order);
    }

    private List<IdempotencyRecord> query(String sql, @Nullable Object... parameters) {
        return transaction.ask(jdbcClient -> jdbcClient
                .sql(schema.resolve(sql))
                .params(parameters)
                .query((row, number) -> map(row))
                .list());
    }

    private void change(String operation, Intent intent, Reason reason, String sql, Object... values) {
        List<Object> parameters = new ArrayList<>(List.of(values));
        parameters.addAll(parametersOf(intent));
        int changed = transaction.change(jdbcClient -> {
            jdbcClient
                    .sql(schema.resolve(LOCK))
                    .params(parametersOf(intent))
                    .query()
                    .listOfRows();
            return jdbcClient
                    .sql(schema.resolve(sql))
                    .params(parameters)
                    .query()
                    .listOfRows()
                    .size();
        });
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
                IntentColumns.readAny(row, 1),
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
