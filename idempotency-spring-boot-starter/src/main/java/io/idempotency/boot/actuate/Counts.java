package io.idempotency.boot.actuate;

import org.jspecify.annotations.Nullable;

/**
 * How many calls or deliveries there were.
 *
 * @param all all of them
 * @param suppressed those whose intent had been settled before, so that nothing ran
 * @param suppressionRate the share of the suppressed, from 0 to 1; {@code null} if there were none at all
 */
record Counts(long all, long suppressed, @Nullable Double suppressionRate) {

    private static final double PRECISION = 10_000;

    static Counts of(long all, long suppressed) {
        return new Counts(all, suppressed, all == 0 ? null : Math.round(PRECISION * suppressed / all) / PRECISION);
    }
}
