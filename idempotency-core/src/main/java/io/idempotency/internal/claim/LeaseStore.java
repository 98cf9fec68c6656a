package io.idempotency.internal.claim;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/** The store of the leases of calls whose methods run. */
@FunctionalInterface
public interface LeaseStore {

    /**
     * Renews leases and commits, without waiting for rows that others have locked. A lease that lasts longer already is not shortened.
     *
     * @param connection a connection without auto-commit and without an open transaction
     * @return a result for each lease, in their order
     */
    List<Result> renew(Connection connection, List<Renewal> renewals, Duration bound);

    /** A lease that is to last for some time from now. */
    record Renewal(Fence fence, Duration duration) {}

    /** The result of a renewal. */
    enum Result {
        RENEWED,

        /** The row is being changed, or its call has just ended. */
        UNCHANGED,

        /** The claim does not hold the key any more. */
        LOST
    }
}
