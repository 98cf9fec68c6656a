package io.idempotency.proof;

import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;

/** What the library says of the deliveries of a run. Loaded only where the library has messages. */
final class ObservedDeliveries implements MessagingListener {

    @Override
    public void messageReceived(MessageReceived event) {
        ObservedCalls.INSTANCE.delivered(
                event.messageId() == null
                        ? null
                        : "message '" + event.messageId() + "' of consumer '" + event.consumer() + "'",
                event.outcome() == MessageOutcome.CONFLICT);
    }
}
