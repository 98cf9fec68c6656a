package io.idempotency.outbox;

import java.util.UUID;

import org.springframework.dao.DataAccessException;

import io.idempotency.TransactionMismatchException;

/**
 * Records messages in the transaction of the effect that they tell of. A relay sends them after its commit: a transaction
 * that is rolled back sends nothing, and one that commits sends everything, at least once and with the same id each time.
 *
 * <pre>{@code
 * outbox.publish(OutboxMessage.of("orders", "OrderPlaced").orderingKey(customer).payload(order).build());
 * }</pre>
 */
public interface Outbox {

    /**
     * Records a message. In an idempotent method it becomes part of the claim's transaction: a replay publishes nothing.
     * Callbacks after the commit, such as a {@code @TransactionalEventListener} without a phase, are in no transaction any
     * more; they are refused where the transaction's manager is a bean.
     *
     * <p>With a deduplication key that was used before in the topic, nothing is recorded; if the other transaction that uses it
     * is still open, this waits for its end.
     *
     * @param message what is to be sent; its payload is written as JSON now, so that what is sent is what was true
     * @return the id of the message, a version-7 UUID; of the earlier message if the deduplication key was used before
     * @throws io.idempotency.DeduplicationKeyReusedException if the deduplication key belongs to a message with another type or
     *     payload; the transaction cannot commit any more
     * @throws TransactionMismatchException if no transaction is open on the library's DataSource, or it has been committed
     *     already, or it is read-only
     * @throws IllegalArgumentException if the payload cannot be written as JSON, or is too large; the database was not
     *     touched
     * @throws DataAccessException if PostgreSQL reports anything else
     */
    UUID publish(OutboxMessage message);
}
