package io.idempotency.internal.postgres.request;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A lossy set of fixed size: an id overwrites whatever held its slot. */
final class RecentlySeenIds {

    private static final int SLOTS = 1 << 13;

    private final AtomicReferenceArray<UUID> slots = new AtomicReferenceArray<>(SLOTS);

    void add(UUID id) {
        slots.set(slotOf(id), id);
    }

    boolean contains(UUID id) {
        return id.equals(slots.get(slotOf(id)));
    }

    /** Returns the slot of an id. Ids are hashes, so any of their bits will do. */
    private static int slotOf(UUID id) {
        return (int) id.getLeastSignificantBits() & (SLOTS - 1);
    }
}
