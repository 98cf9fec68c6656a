package io.idempotency.internal.retention;

import java.util.OptionalInt;

/**
 * A table whose rows may be deleted after their time, or a column of one that may be cleared, as one run of the purge sees
 * it. Not for use by several threads.
 */
public interface ExpiringTable {

    /**
     * The table's name, without its schema, or that of the column.
     *
     * @return as events and metrics show it
     */
    String name();

    /**
     * Deletes some expired rows, the oldest first, in a transaction of its own; rows that others have locked are left for
     * a later run.
     *
     * @param limit how many at most
     * @return how many were deleted, fewer than the limit if no more were found; empty if another run has the
     *     lease, and then nothing was deleted
     */
    OptionalInt deleteExpired(int limit);
}
