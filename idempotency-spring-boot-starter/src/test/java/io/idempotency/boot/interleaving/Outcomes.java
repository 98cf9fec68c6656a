package io.idempotency.boot.interleaving;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.observation.MessageReceived;

/** Counts which messages an application reports as handled. */
class Outcomes implements IdempotencyListener {

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
