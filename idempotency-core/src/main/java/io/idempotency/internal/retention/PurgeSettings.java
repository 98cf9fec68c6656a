package io.idempotency.internal.retention;

import java.time.Duration;

/**
 * The settings of a purge.
 *
 * @param batchSize the number of rows in one transaction, at least 1
 * @param pause the shortest pause between two batches, at most one hour; if batches take long, it is up to twenty times as long
 * @param maxDuration the time after which a run starts no further batch
 */
public record PurgeSettings(int batchSize, Duration pause, Duration maxDuration) {

    /** Twenty times as long is less than a day, the longest lease. */
    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if the batch is empty, a duration is negative or the pause is too long
     */
    public PurgeSettings {
        if (batchSize < 1) {
            throw new IllegalArgumentException("A batch must be at least one row, not " + batchSize);
        }
        if (pause.isNegative() || maxDuration.isNegative()) {
            throw new IllegalArgumentException("The pause and the longest duration must not be negative, but are "
                    + pause + " and " + maxDuration);
        }
        if (pause.compareTo(LONGEST_PAUSE) > 0) {
            throw new IllegalArgumentException("The pause must not be longer than one hour, but is " + pause);
        }
    }
}
