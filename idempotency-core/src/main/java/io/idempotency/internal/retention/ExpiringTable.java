package io.idempotency.internal.retention;

import java.util.OptionalInt;

/**
 * A table whose expired rows are deleted, or a column whose expired values are cleared, in one run of the purge. Not for use by
 * several threads.
 */
public interface ExpiringTable {

    /** Returns the name of the table without its schema, or of the column. */
    String name();

    /**
     * Deletes some expired rows, the oldest first, in a transaction of its own. Locked rows are left for a later run.
     *
     * @return number of deleted rows, fewer than the limit if no more were found; empty if nothing was deleted because another run
     *     has the lease
     */
    OptionalInt deleteExpired(int limit);
}
