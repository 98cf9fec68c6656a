package io.idempotency.internal.postgres.messaging;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.internal.postgres.administration.InterventionLog;
import io.idempotency.internal.postgres.inbox.InboxAdministration;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.outbox.OutboxAdministration;
import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.FailingMessage;
import io.idempotency.messaging.HandledMessage;
import io.idempotency.messaging.MessagingAdministration;
import io.idempotency.messaging.PendingMessage;

import static io.idempotency.internal.postgres.administration.PostgresAdministration.requireLimit;

/** The queries and changes of operators that are about messages. Each change is logged. */
final class PostgresMessagingAdministration implements MessagingAdministration {

    private final InterventionLog log = new InterventionLog();

    private final InboxAdministration inbox;

    private final OutboxAdministration outbox;

    /** Prepares the statements. */
    PostgresMessagingAdministration(Schema schema, DataSource dataSource) {
        BoundedTransaction transaction = new BoundedTransaction(dataSource);
        this.inbox = new InboxAdministration(schema, transaction);
        this.outbox = new OutboxAdministration(schema, transaction);
    }

    @Override
    public Optional<HandledMessage> findHandledMessage(String consumer, String messageId) {
        return inbox.findHandled(consumer, messageId);
    }

    @Override
    public List<FailingMessage> findFailingMessages(int limit) {
        return inbox.findFailing(requireLimit(limit));
    }

    @Override
    public List<PendingMessage> findPendingMessages(int limit) {
        return outbox.findPending(requireLimit(limit));
    }

    @Override
    public List<DeadMessage> findDeadMessages(int limit) {
        return outbox.findDead(requireLimit(limit));
    }

    @Override
    public void requeue(UUID messageId, Reason reason) {
        outbox.requeue(messageId);
        log.changed("requeue", "message " + messageId, line -> line.addKeyValue("message_id", messageId), reason);
    }
}
