package io.idempotency.internal.inbox;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;

import io.idempotency.internal.claim.Failure;

/** Where it is kept what was handled. Internal: its shape follows from what is fast and may change. */
public interface InboxStore {

    /**
     * Takes a message for handling, unless it was handled before or is not in order. Waits for another transaction that is
     * handling it, or another message of its stream.
     *
     * @param connection with an open transaction, which the message becomes part of
     * @param message what was delivered
     * @param waitLimit how long to wait at most, in all
     * @return what was found; the transaction is aborted if it is {@link InboxResult.Kind#IN_PROGRESS}
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports anything else
     */
    InboxResult claim(Connection connection, InboxMessage message, Duration waitLimit);

    /**
     * Tells which transaction has handled a message.
     *
     * @param connection with an open transaction
     * @param message what was delivered
     * @param transactionId as {@link InboxResult#transactionId()} named the transaction that took it
     * @return {@code false} if it was another one, or nobody knows any more
     */
    boolean isHandledBy(Connection connection, InboxMessage message, String transactionId);

    /**
     * Takes many messages at once, unless they were handled before. Waits for other transactions that are handling one of
     * them.
     *
     * @param connection with an open transaction, which the messages become part of
     * @param consumer who receives
     * @param messageIds in any order, each once
     * @param retention how long it is known that they were handled, from now
     * @param waitLimit how long it may take at most, in all
     * @return those that were handled before; the transaction is aborted if the wait ended
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports anything else
     */
    InboxBatchResult claimNew(
            Connection connection,
            String consumer,
            Collection<String> messageIds,
            Duration retention,
            Duration waitLimit);

    /**
     * Counts a delivery that failed, after its rollback.
     *
     * @param connection with an open transaction of its own
     * @param message what was delivered
     * @param failure of the delivery
     * @return {@code false} if the message was handled meanwhile, so that nothing is recorded
     */
    boolean recordFailure(Connection connection, InboxMessage message, Failure failure);
}
