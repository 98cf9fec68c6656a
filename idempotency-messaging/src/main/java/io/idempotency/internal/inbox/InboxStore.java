package io.idempotency.internal.inbox;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;

import io.idempotency.internal.claim.Failure;

/** The store of handled messages and of the positions of streams. */
public interface InboxStore {

    /**
     * Claims a message, unless it was handled before or is not in order. Waits for another transaction that is handling it, or
     * another message of its stream.
     *
     * @param waitLimit the longest wait, in all
     * @return the result; if it is {@link InboxResult.Kind#IN_PROGRESS}, the transaction is aborted
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports any other error
     */
    InboxResult claim(Connection connection, InboxMessage message, Duration waitLimit);

    /**
     * Returns whether a claim of a message was committed.
     *
     * @return {@code false} if another claim was committed, or its row does not exist any more
     */
    boolean isCommitted(Connection connection, InboxMessage message, InboxClaim claim);

    /**
     * Claims the messages of a batch that were not handled before. Waits for other transactions that are handling one of them.
     *
     * @param messageIds the ids in any order, each once
     * @param waitLimit the longest time of the statement
     * @return the messages that were handled before; if the time was exceeded, the transaction is aborted
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports any other error
     */
    InboxBatchResult claimNew(
            Connection connection,
            String consumer,
            Collection<String> messageIds,
            Duration retention,
            Duration waitLimit);

    /**
     * Records and counts a failed delivery, after its rollback, in a transaction of its own.
     *
     * @param connection a connection without auto-commit and without an open transaction
     * @return {@code false} if the message was handled meanwhile, so that nothing is recorded
     */
    boolean recordFailure(Connection connection, InboxMessage message, Failure failure);
}
