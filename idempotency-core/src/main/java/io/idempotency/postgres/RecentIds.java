package io.idempotency.postgres;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Ids that were added lately. Each has one place, which it takes from the one that had it before. */
final class RecentIds {

    private static final int PLACES = 1 << 13;

    private final AtomicReferenceArray<UUID> places = new AtomicReferenceArray<>(PLACES);

    void add(UUID id) {
        places.set(placeOf(id), id);
    }

    boolean contains(UUID id) {
        return id.equals(places.get(placeOf(id)));
    }

    /** Ids are hashes, all bits of which are as good as each other. */
    private static int placeOf(UUID id) {
        return (int) id.getLeastSignificantBits() & (PLACES - 1);
    }
}
