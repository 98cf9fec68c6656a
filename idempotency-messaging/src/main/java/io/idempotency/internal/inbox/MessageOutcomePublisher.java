package io.idempotency.internal.inbox;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.inbox.MessageGapException;
import io.idempotency.internal.call.CallExecution;
import io.idempotency.internal.call.IdempotentCall;
import io.idempotency.internal.call.OutcomePublisher;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.messaging.DeliveryRetried;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.observation.CallObserver;

/** Publishes the outcome of one delivery of a message, which is derived from the outcome of the call and the inbox result. */
final class MessageOutcomePublisher implements OutcomePublisher {

    private final MessagingListener listener;

    private final String consumer;

    private final CallObserver.Observed<MessageReceived> observed;

    private @Nullable InboxResult last;

    MessageOutcomePublisher(
            MessagingListener listener, String consumer, CallObserver.Observed<MessageReceived> observed) {
        this.listener = listener;
        this.consumer = consumer;
        this.observed = observed;
    }

    /** Takes the inbox result of each attempt; the last one counts. */
    void received(InboxResult result) {
        last = result;
    }

    @Override
    public void retried(IdempotentCall call, int attempts, Throwable failure) {
        Intent intent = call.intent();
        listener.deliveryRetried(
                new DeliveryRetried(intent.scope(), intent.key().value(), attempts, SqlStates.of(failure), failure));
    }

    @Override
    public void returns(CallExecution.Ended delivery) {
        observed.ended(event(delivery));
    }

    @Override
    public void ended(CallExecution.Ended delivery) {
        listener.messageReceived(event(delivery));
    }

    private MessageReceived event(CallExecution.Ended delivery) {
        Intent intent = delivery.intent();
        return new MessageReceived(
                consumer,
                intent == null ? null : intent.key().value(),
                outcomeOf(delivery.outcome(), delivery.failure()),
                last != null && last.kind() == InboxResult.Kind.NEW ? last.failedBefore() + 1 : 0,
                delivery.duration(),
                delivery.failure());
    }

    private MessageOutcome outcomeOf(Outcome outcome, @Nullable Throwable failure) {
        return switch (outcome) {
            case INVALID_KEY -> MessageOutcome.INVALID_ID;
            case EXECUTED, RETRIED, RECOVERED -> MessageOutcome.HANDLED;
            case REPLAYED -> skipped();
            case IN_PROGRESS -> MessageOutcome.IN_PROGRESS;
            case FAILURE_REPLAYED,
                    KEY_REUSED,
                    RESPONSE_EXPIRED,
                    UNREADABLE,
                    ABANDONED,
                    LEASE_LOST,
                    FAILED_FINAL,
                    FAILED -> failed(failure);
        };
    }

    private MessageOutcome skipped() {
        if (lastIs(InboxResult.Kind.LATE)) {
            return MessageOutcome.LATE;
        }
        return lastIs(InboxResult.Kind.CONFLICT) ? MessageOutcome.CONFLICT : MessageOutcome.DUPLICATE;
    }

    /** Requires result and exception, because a receiver may throw the exception of another delivery that was refused. */
    private MessageOutcome failed(@Nullable Throwable failure) {
        if (lastIs(InboxResult.Kind.GAP) && failure instanceof MessageGapException) {
            return MessageOutcome.GAP;
        }
        return lastIs(InboxResult.Kind.CONFLICT) && failure instanceof MessageConflictException
                ? MessageOutcome.CONFLICT
                : MessageOutcome.FAILED;
    }

    private boolean lastIs(InboxResult.Kind kind) {
        return last != null && last.kind() == kind;
    }
}
