package io.idempotency.retention;

/** A table whose rows may be deleted after their time. */
public interface ExpiringTable {

    /**
     * The table's name, without its schema.
     *
     * @return as events and metrics show it
     */
    String name();

    /**
     * Deletes some expired rows in a transaction of its own; rows that others have locked are left for later.
     *
     * @param limit how many at most
     * @return how many were deleted; fewer than the limit if no more were found
     */
    int deleteExpired(int limit);
}
