package io.idempotency.sample.cluster;

import java.time.Instant;

/**
 * Something that broke.
 *
 * @param target an instance, a backend, the database or one of its workers
 * @param struckWork whether work was on its way there: requests of clients, or transactions
 */
record Fault(Kind kind, String target, Instant at, boolean struckWork) {

    enum Kind {
        KILLED_INSTANCE,
        PAUSED_INSTANCE,
        TERMINATED_BACKEND,
        CRASHED_DATABASE,
        CRASHED_WORKER
    }
}
