package io.idempotency.internal.postgres.administration;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import io.idempotency.BlockedClaims;
import io.idempotency.DeadMessage;
import io.idempotency.FailingMessage;
import io.idempotency.HandledMessage;
import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.PendingMessage;
import io.idempotency.RequestStatus;
import io.idempotency.StepRecord;
import io.idempotency.internal.postgres.inbox.InboxAdministration;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.outbox.OutboxAdministration;
import io.idempotency.internal.postgres.request.RequestAdministration;
import io.idempotency.internal.postgres.request.ResumptionScheduler;

/** The queries and changes of operators. Each change is logged. */
public final class PostgresAdministration implements IdempotencyAdministration {

    private final InterventionLog log = new InterventionLog();

    private final BoundedTransaction transaction;

    private final RequestAdministration requests;

    private final InboxAdministration inbox;

    private final BlockedBackends blockedBackends;

    private final OutboxAdministration outbox;

    /**
     * Prepares the statements.
     *
     * @param scheduler lets calls be resumed; {@code null} if none may be
     */
    public PostgresAdministration(Schema schema, DataSource dataSource, @Nullable ResumptionScheduler scheduler) {
        this.transaction = new BoundedTransaction(dataSource);
        this.requests = new RequestAdministration(schema, transaction, scheduler);
        this.inbox = new InboxAdministration(schema, transaction);
        this.blockedBackends = new BlockedBackends();
        this.outbox = new OutboxAdministration(schema, transaction);
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
            @Nullable String scope, @Nullable String key, @Nullable RequestStatus status, int limit) {
        return requests.search(scope, key, status, requireInRange(limit));
    }

    @Override
    public List<IdempotencyRecord> findStaleLeases(int limit) {
        return requests.findStaleLeases(requireInRange(limit));
    }

    @Override
    public List<IdempotencyRecord> findAbandoned(int limit) {
        return requests.findAbandoned(requireInRange(limit));
    }

    @Override
    public List<IdempotencyRecord> findWithAttempts(int attempts, int limit) {
        if (attempts < 1) {
            throw new IllegalArgumentException("The number of attempts must be at least 1, not " + attempts);
        }
        return requests.findWithAttempts(attempts, requireInRange(limit));
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
    public List<FailingMessage> findFailingMessages(int limit) {
        return inbox.findFailing(requireInRange(limit));
    }

    @Override
    public Optional<HandledMessage> findHandledMessage(String consumer, String messageId) {
        return inbox.findHandled(consumer, messageId);
    }

    @Override
    public BlockedClaims findBlockedClaims(int limit) {
        requireInRange(limit);
        return transaction.query(jdbcClient -> blockedBackends.find(jdbcClient, limit));
    }

    @Override
    public List<PendingMessage> findPendingMessages(int limit) {
        return outbox.findPending(requireInRange(limit));
    }

    @Override
    public List<DeadMessage> findDeadMessages(int limit) {
        return outbox.findDead(requireInRange(limit));
    }

    @Override
    public void requeue(UUID messageId, Reason reason) {
        outbox.requeue(messageId);
        log.changed("requeue", messageId, reason);
    }

    private static int requireInRange(int limit) {
        if (limit < 1 || limit > MAX_ROWS) {
            throw new IllegalArgumentException("The limit must be 1 to " + MAX_ROWS + ", not " + limit);
        }
        return limit;
    }
}
