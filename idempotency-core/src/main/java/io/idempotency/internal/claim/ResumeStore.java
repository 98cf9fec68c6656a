package io.idempotency.internal.claim;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;

/** The store of calls that are resumed without their callers. */
public interface ResumeStore {

    /**
     * Finds calls that are due to be resumed, those due first first. Their leases have expired, or their last attempts have failed.
     *
     * @param connection a connection
     * @param scopes the scopes of the calls
     * @param limit the largest number of results
     * @return the calls, which others may find too
     */
    List<DueCall> findDueCalls(Connection connection, Collection<String> scopes, int limit);

    /**
     * Returns whether calls of other scopes are due.
     *
     * @param connection a connection
     * @param scopes the scopes that do not count
     * @return {@code true} if there is one
     */
    boolean hasOtherDueCalls(Connection connection, Collection<String> scopes);
}
