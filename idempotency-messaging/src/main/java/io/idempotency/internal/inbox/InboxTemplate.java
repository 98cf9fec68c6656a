package io.idempotency.internal.inbox;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.RequestInProgressException;
import io.idempotency.inbox.Inbox;
import io.idempotency.internal.call.IdempotentCallExecutor;
import io.idempotency.internal.call.attempt.Effect;
import io.idempotency.internal.call.attempt.KeyOwnership;
import io.idempotency.internal.call.attempt.Rethrow;
import io.idempotency.internal.call.wait.RetryAfter;
import io.idempotency.internal.transaction.JoinedTransaction;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;

/** Receives messages for other code: a single one on the same path as an annotated method, a batch in the open transaction. */
public final class InboxTemplate implements Inbox {

    private final InboxBinding binding;

    private final IdempotentCallExecutor executor;

    private final JoinedTransactions transactions;

    private final InboxStore store;

    private final Duration waitTimeout;

    private final MessagingListener listener;

    /**
     * Creates the template.
     *
     * @param waitTimeout the longest wait of a batch
     */
    public InboxTemplate(
            InboxBinding binding,
            IdempotentCallExecutor executor,
            JoinedTransactions transactions,
            InboxStore store,
            Duration waitTimeout,
            MessagingListener listener) {
        this.binding = binding;
        this.executor = executor;
        this.transactions = transactions;
        this.store = store;
        this.waitTimeout = waitTimeout;
        this.listener = listener;
    }

    @Override
    public <X extends Exception> boolean handleOnce(String consumer, @Nullable String messageId, Work<X> work)
            throws X {
        ConsumerName.require(consumer);
        Effect effect = () -> {
            work.run();
            return true;
        };
        try {
            // The result of a message that was handled before is null.
            return executor.execute(binding.begin(consumer), () -> binding.bind(consumer, messageId), effect, null)
                    != null;
        } catch (Throwable failure) {
            throw Rethrow.unchanged(failure);
        }
    }

    @Override
    public <M> List<M> claimNew(
            String consumer, Collection<? extends M> messages, Function<? super M, ? extends @Nullable String> idOf) {
        ConsumerName.require(consumer);
        List<String> ids = new ArrayList<>(messages.size());
        Map<String, M> firstById = new LinkedHashMap<>();
        for (M message : messages) {
            String id = requireId(consumer, message, idOf);
            ids.add(id);
            firstById.putIfAbsent(id, message);
        }
        if (firstById.isEmpty()) {
            return List.of();
        }
        binding.databaseOf(consumer);
        Set<String> handledBefore =
                claim(consumer, firstById.keySet(), new BatchOutcomePublisher(listener, consumer, ids));
        firstById.keySet().removeAll(handledBefore);
        return firstById.values().stream().toList();
    }

    private <M> String requireId(String consumer, M message, Function<? super M, ? extends @Nullable String> idOf) {
        try {
            requireRead(consumer, message);
            return InboxBinding.requireId(consumer, idOf.apply(message)).value();
        } catch (MissingIdempotencyKeyException | InvalidIdempotencyKeyException invalid) {
            listener.messageReceived(
                    new MessageReceived(consumer, null, MessageOutcome.INVALID_ID, 0, Duration.ZERO, invalid));
            throw invalid;
        }
    }

    /** Listener containers give null in the place of what they could not read. */
    private static void requireRead(String consumer, @Nullable Object message) {
        if (message == null) {
            throw new MissingIdempotencyKeyException(
                    "A message of a batch for the consumer '" + consumer
                            + "' is null, because it has no value or could not be read: take it out of the batch before",
                    MessageValues.ID);
        }
    }

    /** Returns the ids of the messages that were handled before. */
    private Set<String> claim(String consumer, Set<String> messageIds, BatchOutcomePublisher publisher) {
        return transactions.onOpenConnection((connection, holder) -> {
            try {
                requireNotHeld(consumer, messageIds, holder);
                Set<String> handledBefore =
                        claimNew(connection, consumer, messageIds, JoinedTransaction.limit(waitTimeout, holder));
                publisher.claimed(handledBefore);
                TransactionSynchronizationManager.registerSynchronization(publisher);
                return handledBefore;
            } catch (RuntimeException refusal) {
                publisher.refused(refusal);
                throw refusal;
            }
        });
    }

    /** Throws if this thread is handling one of the messages itself: it would be taken for a duplicate, or be waited for in vain. */
    private void requireNotHeld(String consumer, Set<String> messageIds, ConnectionHolder holder) {
        if (KeyOwnership.isNoneHeld()) {
            return;
        }
        for (String id : messageIds) {
            Intent intent = new Intent(consumer, "", new IdempotencyKey(id));
            KeyOwnership.requireNotHeld(binding.localKey(intent), intent, holder);
        }
    }

    private Set<String> claimNew(Connection connection, String consumer, Set<String> messageIds, Duration waitLimit) {
        InboxBatchResult result =
                store.claimNew(connection, consumer, messageIds, binding.retention(consumer), waitLimit);
        if (result.waitEnded() == null) {
            return result.handledBefore();
        }
        throw new RequestInProgressException(
                RetryAfter.of(waitTimeout),
                "A batch of " + messageIds.size() + " messages for the consumer '" + consumer
                        + "' could not be claimed within " + waitLimit.toMillis()
                        + " ms, because another transaction is handling one of them, the table is locked, or there are"
                        + " too many of them for that time. The open transaction was aborted: repeat the whole of it"
                        + " later",
                result.waitEnded());
    }
}
