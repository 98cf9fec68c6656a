package io.idempotency.internal.retention;

import java.time.Duration;

/**
 * The length of the pause after a batch. A batch takes longer when the database is busy, so the pause is ten times as long as
 * the batch, within bounds: the purge uses at most a tenth of the time of one connection.
 *
 * @param shortest the pause after a quick batch
 * @param longest the pause that is never exceeded
 */
record PurgeThrottle(Duration shortest, Duration longest) {

    private static final int REST = 10;

    private static final int LONGEST = 20;

    static PurgeThrottle from(Duration shortest) {
        return new PurgeThrottle(shortest, shortest.multipliedBy(LONGEST));
    }

    Duration after(Duration batch) {
        Duration rest = batch.multipliedBy(REST);
        if (rest.compareTo(shortest) < 0) {
            return shortest;
        }
        return rest.compareTo(longest) > 0 ? longest : rest;
    }
}
