package io.idempotency.retention;

import java.time.Duration;

/**
 * How long the purge rests after a batch. A batch takes longer when the database is busy, so that its own time tells how
 * much the purge may ask for: at most a twentieth of the time, until the pause is as long as it may get.
 *
 * @param shortest the pause where the database is quick
 * @param longest the pause that is never exceeded
 */
record PurgePace(Duration shortest, Duration longest) {

    private static final int REST = 20;

    /** The longest pause is in the same relation to the shortest one as that is to a batch it was made for. */
    static PurgePace from(Duration shortest) {
        return new PurgePace(shortest, shortest.multipliedBy(REST));
    }

    Duration after(Duration batch) {
        Duration rest = batch.multipliedBy(REST);
        if (rest.compareTo(shortest) < 0) {
            return shortest;
        }
        return rest.compareTo(longest) > 0 ? longest : rest;
    }
}
