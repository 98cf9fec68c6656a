package io.idempotency.internal.inbox;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.inbox.MessageGapException;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.OutcomePublisher;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.messaging.DeliveryRetried;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.observation.CallObserver;

import static java.util.Objects.requireNonNull;

/** Publishes the outcome of one delivery of a message: that of the call, and the inbox result if the message was not handled. */
final class MessageOutcomePublisher implements OutcomePublisher {

    private final MessagingListener listener;

    private final String consumer;

    private final CallObserver.Observed<MessageReceived> observed;

    MessageOutcomePublisher(
            MessagingListener listener, String consumer, CallObserver.Observed<MessageReceived> observed) {
        this.listener = listener;
        this.consumer = consumer;
        this.observed = observed;
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
        InboxResult found = delivery.last() instanceof InboxAttempt attempt ? attempt.found() : null;
        return new MessageReceived(
                consumer,
                intent == null ? null : intent.key().value(),
                outcomeOf(delivery, found == null ? null : found.kind()),
                found == null ? delivery.attempt() : found.attempt(),
                delivery.duration(),
                delivery.failure());
    }

    private static MessageOutcome outcomeOf(CallExecution.Ended delivery, InboxResult.@Nullable Kind found) {
        return switch (delivery.outcome()) {
            case INVALID_KEY -> MessageOutcome.INVALID_ID;
            case EXECUTED, RETRIED, RECOVERED -> MessageOutcome.HANDLED;
            case REPLAYED -> unlessHandledNow(requireNonNull(found));
            case IN_PROGRESS -> MessageOutcome.IN_PROGRESS;
            case FAILURE_REPLAYED,
                    KEY_REUSED,
                    RESPONSE_EXPIRED,
                    UNREADABLE,
                    ABANDONED,
                    LEASE_LOST,
                    FAILED_FINAL,
                    FAILED -> failed(found, delivery.failure());
        };
    }

    private static MessageOutcome unlessHandledNow(InboxResult.Kind found) {
        return switch (found) {
            // By an earlier attempt of this delivery.
            case NEW -> MessageOutcome.HANDLED;
            case DUPLICATE -> MessageOutcome.DUPLICATE;
            case LATE -> MessageOutcome.LATE;
            case CONFLICT -> MessageOutcome.CONFLICT;
            case GAP, IN_PROGRESS -> throw new IllegalStateException("A message that was refused has no answer");
        };
    }

    /** Requires result and exception, because a receiver may throw the exception of another delivery that was refused. */
    private static MessageOutcome failed(InboxResult.@Nullable Kind found, @Nullable Throwable failure) {
        if (found == InboxResult.Kind.GAP && failure instanceof MessageGapException) {
            return MessageOutcome.GAP;
        }
        return found == InboxResult.Kind.CONFLICT && failure instanceof MessageConflictException
                ? MessageOutcome.CONFLICT
                : MessageOutcome.FAILED;
    }
}
