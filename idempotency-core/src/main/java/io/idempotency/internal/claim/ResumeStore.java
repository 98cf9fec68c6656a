package io.idempotency.internal.claim;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** The store of calls that are resumed without their callers. */
public interface ResumeStore {

    /**
     * Finds calls that are due to be resumed, those due first first. Their leases have expired, or their last attempts have failed.
     *
     * @return the calls, which others may find too
     */
    List<DueCall> findDueCalls(Connection connection, Collection<String> scopes, int limit);

    /**
     * Lets a call be due later, unless it was claimed meanwhile. This is no attempt.
     *
     * @return {@code false} if it is not due any more
     */
    boolean postpone(Connection connection, DueCall call, Duration pause);

    /**
     * Returns whether calls of other scopes are due.
     *
     * @param scopes the scopes that do not count
     * @return {@code true} if there is one
     */
    boolean hasOtherDueCalls(Connection connection, Collection<String> scopes);
}
