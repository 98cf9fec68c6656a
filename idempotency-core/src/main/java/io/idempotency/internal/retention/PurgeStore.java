package io.idempotency.internal.retention;

import java.time.Duration;

/** The store of the tables whose rows expire, and of the lease that one run at a time has. */
public interface PurgeStore {

    /**
     * Prepares a run. It takes the lease with its first batch.
     *
     * @param hold time for which the lease lasts after a batch, so that no other run uses the pause before the next one; if this process
     *     fails, others wait that long
     */
    PurgeLease begin(Duration hold);
}
