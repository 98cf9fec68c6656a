package io.idempotency.execution;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.inbox.Inbox;
import io.idempotency.inbox.InboxStore;

/** Receives messages for other code, by the same boundary and the same executor as annotated methods. */
public final class InboxTemplate implements Inbox {

    private final ReceiptBinding binding;

    private final CallBoundary boundary;

    private final ClaimExecutor executor;

    private final CallTransactions transactions;

    private final InboxStore store;

    /**
     * Creates the template.
     *
     * @param binding computes what is to be kept of a message
     * @param boundary surrounds every delivery
     * @param executor handles or skips it
     * @param transactions finds the transaction of a batch
     * @param store where it is kept what was handled
     */
    public InboxTemplate(
            ReceiptBinding binding,
            CallBoundary boundary,
            ClaimExecutor executor,
            CallTransactions transactions,
            InboxStore store) {
        this.binding = binding;
        this.boundary = boundary;
        this.executor = executor;
        this.transactions = transactions;
        this.store = store;
    }

    @Override
    public <X extends Exception> boolean handleOnce(String consumer, @Nullable String messageId, Work<X> work)
            throws X {
        Intent.requireConsumer(consumer);
        Invocation effect = () -> {
            work.run();
            return true;
        };
        try {
            // What was handled before has no result.
            return boundary.receive(
                            this,
                            consumer,
                            met -> binding.bind(consumer, messageId, met),
                            () -> executor.execute(this, "consumer '" + consumer + "'", effect))
                    != null;
        } catch (Throwable failure) {
            throw Rethrow.unchanged(failure);
        }
    }

    @Override
    public <M> List<M> claimNew(
            String consumer, Collection<? extends M> messages, Function<? super M, ? extends @Nullable String> idOf) {
        Intent.requireConsumer(consumer);
        Map<String, M> firstById = new LinkedHashMap<>();
        for (M message : messages) {
            String id = ReceiptBinding.requireId(consumer, idOf.apply(message)).value();
            firstById.putIfAbsent(id, message);
        }
        if (firstById.isEmpty()) {
            return List.of();
        }
        Set<String> received = new HashSet<>(transactions.onOpenConnection(
                connection -> store.receiveNew(connection, consumer, firstById.keySet(), binding.retention())));
        return firstById.entrySet().stream()
                .filter(message -> received.contains(message.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }
}
