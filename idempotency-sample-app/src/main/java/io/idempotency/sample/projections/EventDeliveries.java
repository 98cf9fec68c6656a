package io.idempotency.sample.projections;

import org.springframework.stereotype.Component;

import io.idempotency.sample.accounts.AccountEvent;

/** Hands events on to the generations of a projection, whichever way they came. */
@Component
class EventDeliveries {

    private final GenerationStore generations;

    EventDeliveries(GenerationStore generations) {
        this.generations = generations;
    }

    /**
     * Asks anew for each event which generations there are. An event that does not go to a generation that is being built
     * was delivered before that began, so it was committed before, and the replay reads it.
     */
    void deliver(Projection projection, AccountEvent event) {
        generations.of(projection.name()).all().forEach(generation -> projection.deliver(generation, event));
    }
}
