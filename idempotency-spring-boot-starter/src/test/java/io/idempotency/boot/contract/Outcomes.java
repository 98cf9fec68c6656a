package io.idempotency.boot.contract;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;

/** Remembers what became of every call. */
class Outcomes implements IdempotencyListener {

    private final List<CallCompleted> events = new CopyOnWriteArrayList<>();

    @Override
    public void callCompleted(CallCompleted event) {
        events.add(event);
    }

    List<Outcome> all() {
        return events.stream().map(CallCompleted::outcome).toList();
    }

    List<CallCompleted> events() {
        return List.copyOf(events);
    }

    void clear() {
        events.clear();
    }
}
