package io.idempotency.boot.messaging.web;

import io.idempotency.boot.web.UsedKeys;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;

/** Tells that a request's key is used if it is the id of a message that is received, as in webhooks. */
record DeliveriesUseKeys(UsedKeys keys) implements MessagingListener {

    @Override
    public void messageReceived(MessageReceived event) {
        if (event.messageId() != null) {
            keys.used(event.messageId());
        }
    }
}
