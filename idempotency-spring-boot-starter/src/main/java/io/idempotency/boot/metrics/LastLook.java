package io.idempotency.boot.metrics;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

import org.jspecify.annotations.Nullable;

/**
 * What was seen last, because a scrape must not ask the database. It is not a number any more when nobody has looked for
 * long: an instance that cannot look must not outvote those that can.
 *
 * @param <T> what is seen
 */
final class LastLook<T> {

    /** A pool that has no connection, or a slow database, may delay a look for so long. */
    private static final Duration SHORTEST_AGE = Duration.ofMinutes(5);

    private static final int INTERVALS = 3;

    private final Duration maxAge;

    private final LongSupplier nanoTime;

    private volatile @Nullable Look<T> last;

    /**
     * Has seen nothing yet.
     *
     * @param interval between two looks
     * @param nanoTime as {@link System#nanoTime()}
     */
    LastLook(Duration interval, LongSupplier nanoTime) {
        Duration some = interval.multipliedBy(INTERVALS);
        this.maxAge = some.compareTo(SHORTEST_AGE) > 0 ? some : SHORTEST_AGE;
        this.nanoTime = nanoTime;
    }

    void seen(T seen) {
        last = new Look<>(seen, nanoTime.getAsLong());
    }

    double value(ToDoubleFunction<T> value) {
        Look<T> look = last;
        return look == null || Duration.ofNanos(nanoTime.getAsLong() - look.at).compareTo(maxAge) > 0
                ? Double.NaN
                : value.applyAsDouble(look.seen);
    }

    private record Look<T>(T seen, long at) {}
}
