package io.idempotency.internal.outbox;

import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/**
 * The lanes of the outbox, among which messages are divided; one relay at a time sends the messages of a lane. A message keeps the
 * lane that it was published with, and relays take all lanes that they find, so instances need not agree on the number.
 *
 * @param count the number of lanes, from 1 to {@value #MAX}
 */
public record Lanes(int count) {

    /** The largest number, because a relay may query every lane. */
    public static final int MAX = 1_024;

    /** The lane of calls to resume, which relays leave out. */
    public static final int OF_RESUMPTIONS = MAX;

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

    /** Returns the lane of an ordering key; a random one without a key. */
    int of(@Nullable String orderingKey) {
        if (orderingKey == null) {
            return ThreadLocalRandom.current().nextInt(count);
        }
        int hash = orderingKey.hashCode();
        return Math.floorMod(hash ^ (hash >>> 16), count);
    }
}
