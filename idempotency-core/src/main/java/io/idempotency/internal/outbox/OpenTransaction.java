package io.idempotency.internal.outbox;

import java.sql.Connection;
import java.util.function.Function;

import io.idempotency.TransactionMismatchException;

/** Finds the transaction that a message becomes part of. Internal: the starter hands it in. */
@FunctionalInterface
public interface OpenTransaction {

    /**
     * Works on the connection of the transaction that is open on the library's DataSource.
     *
     * @param <T> the result
     * @param work what is done; it does not end the transaction
     * @return what the work gave
     * @throws TransactionMismatchException if none is open
     */
    <T> T onConnection(Function<Connection, T> work);
}
