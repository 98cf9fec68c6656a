package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Wakes the relays of other instances. A relay that is not woken finds messages by its poll. */
public interface OutboxChannel {

    /**
     * Notifies all instances that messages wait, in a transaction of its own. The transaction that published them does not notify,
     * because PostgreSQL commits only one transaction with a notification at a time.
     *
     * @throws org.springframework.transaction.TransactionException if there is no connection
     */
    void announce();

    /**
     * Listens on a connection of its own until it is stopped.
     *
     * @param onNotification called after a notification, and once at the start for those that were missed
     * @param stopInterval the longest time between two calls of {@code stopped}
     * @throws org.springframework.dao.DataAccessException if the connection is lost
     */
    void listen(Runnable onNotification, BooleanSupplier stopped, Duration stopInterval);
}
