package io.idempotency.boot.interleaving;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;

/** Counts which messages an application reports as handled. */
class Outcomes implements MessagingListener {

    private final Map<String, Integer> handled = new ConcurrentHashMap<>();

    @Override
    public void messageReceived(MessageReceived event) {
        if (event.outcome() == MessageOutcome.HANDLED) {
            handled.merge(event.messageId(), 1, Integer::sum);
        }
    }

    int handled(String messageId) {
        return handled.getOrDefault(messageId, 0);
    }
}
