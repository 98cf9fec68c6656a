package io.idempotency.inbox;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.ReentrantCallException;
import io.idempotency.RequestInProgressException;
import io.idempotency.TransactionMismatchException;

/**
 * The programmatic alternative to {@link IdempotentReceiver}, also for batches.
 *
 * <pre>{@code
 * boolean handled = inbox.handleOnce("invoices", delivery.id(), () -> book(delivery));
 * }</pre>
 */
public interface Inbox {

    /**
     * Handles a message unless this consumer has handled it before. The work runs in the transaction that is open on
     * the library's DataSource, or in a new one. If it throws an exception, that transaction is rolled back and the
     * caller gets the exception unchanged. Executions are repeated and failures are counted as for
     * {@link IdempotentReceiver}.
     *
     * @param <X> type of exception that the work may throw
     * @param consumer name of the consumer, 1 to 128 printable characters
     * @param messageId the id that stays the same through all deliveries, 1 to 255 printable characters
     * @param work the effect; it is committed once, although the work may run again after a rollback
     * @return {@code true} if this call has handled the message, also if its COMMIT was in doubt and was found to have
     *     succeeded; {@code false} if the message had been handled before
     * @throws X if the work throws it
     * @throws IllegalArgumentException if the consumer is not well-formed
     * @throws IdempotencyException as described by its subclasses
     */
    <X extends Exception> boolean handleOnce(String consumer, @Nullable String messageId, Work<X> work) throws X;

    /**
     * Claims the messages of a batch that this consumer has not handled before, with one statement. If the open
     * transaction commits, they count as handled. Their effects must therefore be made in this transaction, and not by
     * {@link #handleOnce} or an annotated receiver of the same consumer, which would skip them. If the batch fails, the
     * transaction is marked rollback-only, and the caller repeats it as a whole. Listeners get the outcome of each
     * message when the transaction has ended. Failures of batches are not recorded in the table
     * {@code message_failure}. A listener must not leave the transaction with Spring Kafka's
     * {@code BatchListenerFailedException}: the messages before the failed one would be acknowledged and rolled back.
     *
     * <p>Waits for other transactions that are handling one of the messages. Two batches never deadlock, whatever their
     * order. If a transaction claims several batches or messages one after the other, it can deadlock with another one,
     * and PostgreSQL ends one of them with an error.
     *
     * @param <M> type of the messages
     * @param consumer name of the consumer, 1 to 128 printable characters
     * @param messages messages of the batch, at most thousands; may contain duplicates, but not {@code null}
     * @param idOf function that returns the id of a message, 1 to 255 printable characters
     * @return messages to handle, in their order; only the first of those with equal ids
     * @throws MissingIdempotencyKeyException if a message is {@code null} or has no id; the database was not accessed
     * @throws InvalidIdempotencyKeyException if an id is malformed; the database was not accessed
     * @throws TransactionMismatchException if no transaction is open on the library's DataSource, as in a callback
     *     after its commit, or it is read-only
     * @throws RequestInProgressException if the batch cannot be claimed within {@code idempotency.wait-timeout} in
     *     total
     * @throws ReentrantCallException if this thread is handling one of the messages
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports any other error. In REPEATABLE READ and
     *     SERIALIZABLE that is 40001 if another transaction has handled one of the messages since the snapshot
     * @throws IllegalArgumentException if the consumer is not well-formed
     */
    <M> List<M> claimNew(
            String consumer, Collection<? extends M> messages, Function<? super M, ? extends @Nullable String> idOf);

    /**
     * The work that handles a message.
     *
     * @param <X> type of exception that it may throw
     */
    @FunctionalInterface
    interface Work<X extends Exception> {

        /**
         * Makes the effect.
         *
         * @throws X on failure; everything is rolled back
         */
        void run() throws X;
    }
}
