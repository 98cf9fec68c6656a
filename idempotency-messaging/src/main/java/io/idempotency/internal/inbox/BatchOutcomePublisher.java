package io.idempotency.internal.inbox;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.idempotency.RequestInProgressException;
import io.idempotency.internal.transaction.SavepointAwareSynchronization;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;

/** Publishes the outcome of each message of a batch, after the commit or rollback of the transaction that claimed them. */
final class BatchOutcomePublisher extends SavepointAwareSynchronization {

    private static final int FIRST_ATTEMPT = 1;

    private final MessagingListener listener;

    private final String consumer;

    /** The ids of all deliveries: an id may occur more than once. */
    private final List<String> messageIds;

    private final long start = System.nanoTime();

    private Set<String> handledBefore = Set.of();

    BatchOutcomePublisher(MessagingListener listener, String consumer, List<String> messageIds) {
        this.listener = listener;
        this.consumer = consumer;
        this.messageIds = messageIds;
    }

    void claimed(Set<String> newHandledBefore) {
        handledBefore = newHandledBefore;
    }

    void refused(RuntimeException refusal) {
        MessageOutcome outcome =
                refusal instanceof RequestInProgressException ? MessageOutcome.IN_PROGRESS : MessageOutcome.FAILED;
        Duration duration = sinceStart();
        messageIds.forEach(id -> publish(id, outcome, 0, duration, refusal));
    }

    @Override
    public void afterCompletion(int status) {
        MessageOutcome outcomeOfClaimed =
                status == STATUS_COMMITTED && !isUndone() ? MessageOutcome.HANDLED : MessageOutcome.FAILED;
        Duration duration = sinceStart();
        Set<String> seen = new HashSet<>(handledBefore);
        for (String id : messageIds) {
            if (seen.add(id)) {
                publish(id, outcomeOfClaimed, FIRST_ATTEMPT, duration, null);
            } else {
                publish(id, MessageOutcome.DUPLICATE, 0, duration, null);
            }
        }
    }

    private void publish(
            String id, MessageOutcome outcome, int attempt, Duration duration, @Nullable Throwable failure) {
        listener.messageReceived(new MessageReceived(consumer, id, outcome, attempt, duration, failure));
    }

    private Duration sinceStart() {
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
