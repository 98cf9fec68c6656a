package io.idempotency.internal.retention;

import java.util.List;

/** The right of one run of the purge to delete from the tables while no other run does. It takes effect with the first batch. */
public interface PurgeLease {

    /**
     * Returns the tables whose rows expire.
     *
     * @return each table once
     */
    List<ExpiringTable> tables();

    /** Lets other runs begin without waiting. Does nothing if another run has the lease. */
    void release();
}
