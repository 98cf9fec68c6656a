package io.idempotency.boot.contract;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;

import io.idempotency.Outcome;
import io.idempotency.messaging.DeliveryRetried;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.IdempotencyListener;

/** Remembers what became of every call and of every message. */
class Outcomes implements IdempotencyListener, MessagingListener {

    private final Queue<CallCompleted> events = new ConcurrentLinkedQueue<>();

    private final Queue<MessageReceived> messages = new ConcurrentLinkedQueue<>();

    private final Queue<Repeat> retries = new ConcurrentLinkedQueue<>();

    @Override
    public void callCompleted(CallCompleted event) {
        events.add(event);
    }

    @Override
    public void callRetried(CallRetried event) {
        retries.add(new Repeat(event.execution(), event.sqlState()));
    }

    @Override
    public void deliveryRetried(DeliveryRetried event) {
        retries.add(new Repeat(event.execution(), event.sqlState()));
    }

    @Override
    public void messageReceived(MessageReceived event) {
        messages.add(event);
    }

    List<MessageReceived> messages() {
        return List.copyOf(messages);
    }

    List<MessageOutcome> ofMessages() {
        return messages.stream().map(MessageReceived::outcome).toList();
    }

    List<Repeat> retries() {
        return List.copyOf(retries);
    }

    List<Outcome> all() {
        return events.stream().map(CallCompleted::outcome).toList();
    }

    List<CallCompleted> events() {
        return List.copyOf(events);
    }

    void clear() {
        events.clear();
        messages.clear();
        retries.clear();
    }

    /** Of a call or of a delivery. */
    record Repeat(int execution, @Nullable String sqlState) {}
}
