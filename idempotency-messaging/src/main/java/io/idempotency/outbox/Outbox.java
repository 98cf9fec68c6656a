package io.idempotency.outbox;

import java.util.UUID;

import org.springframework.dao.DataAccessException;

import io.idempotency.TransactionMismatchException;

/**
 * The transactional outbox. It records messages in the transaction of their effect, and a relay sends them after the
 * commit. If the transaction is rolled back, nothing is sent. If it commits, each message is sent at least once, with
 * the same id each time.
 *
 * <pre>{@code
 * outbox.publish(OutboxMessage.of("orders", "OrderPlaced").orderingKey(customer).payload(order).build());
 * }</pre>
 */
public interface Outbox {

    /**
     * Records a message. In an idempotent method it is part of the claim's transaction, so a replay publishes nothing.
     * Callbacks after the commit, such as a {@code @TransactionalEventListener} without a phase, are outside of the
     * transaction. They are refused if the transaction manager is a bean.
     *
     * <p>If the deduplication key was used before in the topic, nothing is recorded. If the other transaction that uses
     * it is still open, this method waits for its end.
     *
     * @param message message to send; its payload is written as JSON now, so that later changes do not count
     * @return id of the message, a version-7 UUID; the id of the earlier message if the deduplication key was used
     *     before
     * @throws io.idempotency.outbox.DeduplicationKeyReusedException if the deduplication key belongs to a message with another
     *     type or payload; the transaction cannot commit any more
     * @throws TransactionMismatchException if no transaction is open on the library's DataSource, or it has been
     *     committed already, or it is read-only, or the relay of this process reads another database
     * @throws IllegalArgumentException if the payload cannot be written as JSON, has a part whose state is not in its JSON, or
     *     is too large; the database was not
     *     accessed
     * @throws DataAccessException if PostgreSQL reports any other error
     */
    UUID publish(OutboxMessage message);
}
