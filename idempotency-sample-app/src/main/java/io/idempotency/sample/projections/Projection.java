package io.idempotency.sample.projections;

import java.util.List;

import io.idempotency.sample.accounts.AccountEvent;

/** Something that is made of events. Each generation of it counts an event once, however often and by whatever way it comes. */
interface Projection {

    String name();

    /** Lets a generation know of an event that was delivered. */
    void deliver(int generation, AccountEvent event);

    /** Lets a generation know of events that follow each other in the stream, in short transactions of its own. */
    void replay(int generation, List<AccountEvent> events);

    /** How far a generation is behind what has happened. */
    Progress progress(int generation);

    /**
     * Removes what belongs to the generations before this one. Those after it may come up at any time, and what they have
     * counted they do not count again.
     */
    void deleteBefore(int generation);
}
