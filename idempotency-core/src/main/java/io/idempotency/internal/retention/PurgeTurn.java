package io.idempotency.internal.retention;

import java.util.List;

/** What one run of the purge has: the tables, which it may delete from while no other run does. */
public interface PurgeTurn {

    /**
     * The tables whose rows expire.
     *
     * @return each table once
     */
    List<ExpiringTable> tables();

    /** Lets others have their turn at once. Does nothing if it is another run's turn. */
    void end();
}
