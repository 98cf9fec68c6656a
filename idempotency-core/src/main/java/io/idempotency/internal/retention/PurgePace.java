package io.idempotency.internal.retention;

import java.time.Duration;

/**
 * How long the purge rests after a batch. A batch takes longer when the database is busy, so that its own time tells how
 * much the purge may ask for: at most a tenth of the time of one connection, until the pause is as long as it may get.
 *
 * @param shortest the pause where the database is quick
 * @param longest the pause that is never exceeded
 */
record PurgePace(Duration shortest, Duration longest) {

    private static final int REST = 10;

    private static final int LONGEST = 20;

    static PurgePace from(Duration shortest) {
        return new PurgePace(shortest, shortest.multipliedBy(LONGEST));
    }

    Duration after(Duration batch) {
        Duration rest = batch.multipliedBy(REST);
        if (rest.compareTo(shortest) < 0) {
            return shortest;
        }
        return rest.compareTo(longest) > 0 ? longest : rest;
    }
}
