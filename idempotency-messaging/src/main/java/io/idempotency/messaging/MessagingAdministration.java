package io.idempotency.messaging;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.InterventionRefusedException;

/**
 * The queries and interventions of operators that are about messages. As in {@link IdempotencyAdministration}, every
 * intervention needs a reason, is logged with it and runs in a new transaction. Each query and each intervention is
 * cancelled after five seconds: Spring then throws a {@code QueryTimeoutException}, and nothing has changed. Queries run in
 * read-only transactions.
 */
public interface MessagingAdministration {

    /**
     * Finds a message that a consumer has handled.
     *
     * @param consumer consumer of the message
     * @param messageId id of the message
     * @return the handled message; empty if it was not handled, or its row was purged
     */
    Optional<HandledMessage> findHandledMessage(String consumer, String messageId);

    /**
     * Finds received messages whose deliveries have failed and that were not handled since then. Reads the whole table,
     * which is small unless many messages fail.
     *
     * @param limit most rows to return, 1 to {@value IdempotencyAdministration#MAX_ROWS}
     * @return the messages, the most attempts first
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<FailingMessage> findFailingMessages(int limit);

    /**
     * Finds messages of the outbox that are not sent yet. Reads all of them, by an index.
     *
     * @param limit most rows to return, 1 to {@value IdempotencyAdministration#MAX_ROWS}
     * @return the messages, in the order of publishing
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<PendingMessage> findPendingMessages(int limit);

    /**
     * Finds dead messages of the outbox, which are not sent any more.
     *
     * @param limit most rows to return, 1 to {@value IdempotencyAdministration#MAX_ROWS}
     * @return the oldest first
     * @throws IllegalArgumentException if the limit is out of range
     */
    List<DeadMessage> findDeadMessages(int limit);

    /**
     * Requeues a dead message: it is sent again, with the same id and with all its attempts. Later messages of its
     * ordering key may have been sent already; the others wait for it.
     *
     * @param messageId the dead message
     * @param reason name of the operator and reason
     * @throws InterventionRefusedException if there is no dead message with that id
     */
    void requeue(UUID messageId, Reason reason);
}
