package io.idempotency.postgres;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Ids that were seen lately, so that a repeat looks for its row before it tries to insert one, which saves a round trip. A
 * guess that costs nothing to be wrong: what it has forgotten is inserted first, what was rolled back is looked for in vain.
 */
final class RecentIds {

    /** Each id has one place, which it takes from the one that had it before. */
    private static final int PLACES = 1 << 13;

    private final AtomicReferenceArray<UUID> places = new AtomicReferenceArray<>(PLACES);

    /** Whether the id was there already. */
    boolean add(UUID id) {
        // Bits of a hash, all as good as each other.
        int place = (int) id.getLeastSignificantBits() & (PLACES - 1);
        return id.equals(places.getAndSet(place, id));
    }
}
