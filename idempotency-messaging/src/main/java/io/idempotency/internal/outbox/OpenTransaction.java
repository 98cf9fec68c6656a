package io.idempotency.internal.outbox;

import java.sql.Connection;
import java.util.function.Function;

import io.idempotency.TransactionMismatchException;

/** Finds the open transaction that a message becomes part of. */
@FunctionalInterface
public interface OpenTransaction {

    /**
     * Works on the connection of the transaction that is open on the library's DataSource.
     *
     * @param work the work, which must not end the transaction
     * @throws TransactionMismatchException if none is open
     */
    <T> T onConnection(Function<Connection, T> work);
}
