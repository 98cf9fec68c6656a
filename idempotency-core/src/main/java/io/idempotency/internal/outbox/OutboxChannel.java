package io.idempotency.internal.outbox;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Lets instances wake each other. Internal. Whoever hears nothing still finds everything by its poll. */
public interface OutboxChannel {

    /**
     * Tells all instances that there is something to send, in a transaction of its own. Never part of the transaction that
     * published it: PostgreSQL lets only one transaction with a notification commit at a time.
     *
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports anything
     * @throws org.springframework.transaction.TransactionException if there is no connection
     */
    void announce();

    /**
     * Listens on a connection of its own; returns when it is stopped, soon after {@code patience}.
     *
     * @param heard called when somebody has announced something, and once at the start for what was missed
     * @param stopped asked now and then
     * @param patience between two times that it is asked
     * @throws org.springframework.dao.DataAccessException if the connection is lost
     */
    void listen(Runnable heard, BooleanSupplier stopped, Duration patience);
}
