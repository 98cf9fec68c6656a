package io.idempotency.internal.retention;

import java.time.Duration;

/** Where rows expire, and where the runs of all instances learn whose turn it is. */
public interface PurgeStore {

    /**
     * Prepares a run. It takes its turn with its first batch.
     *
     * @param hold how long the turn is kept after a batch, so that no other run uses the pause before the next one; if
     *     this process vanishes, others wait that long
     * @return the run's own view of the tables
     */
    PurgeTurn begin(Duration hold);
}
