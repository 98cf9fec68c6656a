package io.idempotency.internal.lock;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

import io.idempotency.lock.TransactionLocks;

/** Takes the locks of {@link TransactionLocks} in the database. */
public interface LockStore {

    /** Takes a lock for the open transaction if no other session has it. */
    boolean tryTake(Connection connection, long id);

    /**
     * Waits for a lock and takes it for the open transaction.
     *
     * @return the error that ended the wait and aborted the transaction; empty if the transaction has the lock
     */
    Optional<SQLException> take(Connection connection, long id, Duration waitLimit);
}
