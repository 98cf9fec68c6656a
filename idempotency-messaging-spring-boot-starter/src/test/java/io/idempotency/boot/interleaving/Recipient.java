package io.idempotency.boot.interleaving;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;
import io.idempotency.outbox.SenderUnavailableException;

/** What an application hands over to be sent. */
class Recipient implements OutboxSender {

    /** The header that tells how a message is refused. */
    static final String REFUSAL = "refusal";

    private static final AtomicLong positions = new AtomicLong();

    private static final Set<UUID> refused = ConcurrentHashMap.newKeySet();

    private final Queue<Sending> sendings = new ConcurrentLinkedQueue<>();

    @Override
    public CompletionStage<Void> send(OutboxRecord message) {
        String refusal = message.headers().get(REFUSAL);
        boolean isRefused = !refusal.isEmpty()
                && Refusal.valueOf(refusal) != Refusal.NEVER
                && (refused.add(message.id()) || Refusal.valueOf(refusal) == Refusal.FAILS_EACH_TIME);
        sendings.add(new Sending(positions.incrementAndGet(), message, isRefused));
        return isRefused ? Refusal.valueOf(refusal).answer() : CompletableFuture.completedStage(null);
    }

    /** Returns what several applications have sent for an ordering key, in its order. */
    static List<Sending> sendings(Collection<Recipient> recipients, String orderingKey) {
        return recipients.stream()
                .flatMap(recipient -> recipient.sendings.stream())
                .filter(sending -> orderingKey.equals(sending.message.orderingKey()))
                .sorted(Comparator.comparing(Sending::position))
                .toList();
    }

    /** How a message is refused, the first time that it is sent or each time. */
    enum Refusal {
        NEVER,
        FAILS,
        FAILS_EACH_TIME,
        THROWS,
        IS_UNAVAILABLE;

        private CompletionStage<Void> answer() {
            return switch (this) {
                case NEVER -> CompletableFuture.completedStage(null);
                case FAILS, FAILS_EACH_TIME -> CompletableFuture.failedStage(new IllegalStateException("refused"));
                case THROWS -> throw new IllegalStateException("refused");
                case IS_UNAVAILABLE -> throw new SenderUnavailableException("refused", null);
            };
        }
    }

    /**
     * A message that was handed over.
     *
     * @param position the order in all applications
     * @param message the message
     * @param isRefused whether it was refused
     */
    record Sending(long position, OutboxRecord message, boolean isRefused) {

        /** Tells the message from the others of its ordering key. */
        String name() {
            return message.aggregateId() + " " + message.type();
        }
    }
}
