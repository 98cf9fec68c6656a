package io.idempotency.internal.outbox;

import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/**
 * Divides messages among lanes, each of which one relay at a time sends. The only place that does: a message keeps the lane
 * that it was published with, and relays take whatever lanes they find, so that instances need not agree on the number.
 *
 * @param count from 1 to {@value #MAX}
 */
public record Lanes(int count) {

    /** More would make relays look at too many of them. */
    public static final int MAX = 1_024;

    /**
     * Checks the number.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public Lanes {
        if (count < 1 || count > MAX) {
            throw new IllegalArgumentException("The number of lanes must be 1 to " + MAX + ", not " + count);
        }
    }

    /** What has no order goes anywhere. */
    int of(@Nullable String orderingKey) {
        if (orderingKey == null) {
            return ThreadLocalRandom.current().nextInt(count);
        }
        int hash = orderingKey.hashCode();
        return Math.floorMod(hash ^ (hash >>> 16), count);
    }
}
