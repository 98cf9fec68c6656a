package io.idempotency.inbox;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.IdempotentReceiver;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.ReentrantCallException;
import io.idempotency.RequestInProgressException;
import io.idempotency.TransactionMismatchException;

/**
 * The programmatic twin of {@link IdempotentReceiver}, for code that has no method to annotate and for batches.
 *
 * <pre>{@code
 * boolean handled = inbox.handleOnce("invoices", delivery.id(), () -> book(delivery));
 * }</pre>
 */
public interface Inbox {

    /**
     * Handles a message unless this consumer has handled it before. The work runs in the transaction that is open on the
     * library's DataSource, or in one of its own; an exception rolls that transaction back and reaches the caller
     * unchanged. Executions are repeated and failures counted as for {@link IdempotentReceiver}.
     *
     * @param <X> what the work may throw
     * @param consumer who receives, 1 to 128 printable characters
     * @param messageId the id that stays the same through all deliveries, 1 to 255 printable characters
     * @param work the effect; what it writes is kept once, although it may run again after a rollback
     * @return {@code true} if this call has handled the message, also if the answer to its COMMIT was lost and the message was
     *     then found to be handled; {@code false} if it had been handled before
     * @throws X if the work throws it
     * @throws IllegalArgumentException if the consumer is not well-formed
     * @throws IdempotencyException as described by its subclasses
     */
    <X extends Exception> boolean handleOnce(String consumer, @Nullable String messageId, Work<X> work) throws X;

    /**
     * Takes the messages of a batch that this consumer has not handled before, with one statement for all of them. They
     * count as handled if the open transaction commits, so their effects must be made in it, and not by
     * {@link #handleOnce} or an annotated receiver of the same consumer, which would skip them. A batch that fails dooms
     * that transaction, and the caller repeats the whole of it. What became of each message is announced when the transaction
     * has ended; failures of batches leave nothing in the table {@code message_failure}.
     *
     * <p>Waits for other transactions that are handling one of the messages. Two batches never lock each other out,
     * whatever their order; a transaction that takes several batches or messages one after the other can meet another, and
     * PostgreSQL ends one of them with a deadlock error.
     *
     * @param <M> the messages
     * @param consumer who receives, 1 to 128 printable characters
     * @param messages thousands of them at most; may contain duplicates, but not {@code null}
     * @param idOf gives the id of a message, 1 to 255 printable characters
     * @return those that are to be handled, in their order; of equal ids the first
     * @throws MissingIdempotencyKeyException if a message has no id; the database was not touched
     * @throws InvalidIdempotencyKeyException if an id is malformed; the database was not touched
     * @throws TransactionMismatchException if no transaction is open on the library's DataSource, as in a callback after
     *     its commit, or it is read-only
     * @throws RequestInProgressException if the batch cannot be taken within {@code idempotency.wait-timeout} in all
     * @throws ReentrantCallException if this thread is handling one of the messages
     * @throws IllegalArgumentException if the consumer is not well-formed
     */
    <M> List<M> claimNew(
            String consumer, Collection<? extends M> messages, Function<? super M, ? extends @Nullable String> idOf);

    /**
     * What is done with a message.
     *
     * @param <X> what it may throw
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
