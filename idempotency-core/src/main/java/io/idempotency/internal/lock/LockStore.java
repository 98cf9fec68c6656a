package io.idempotency.internal.lock;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

import io.idempotency.lock.TransactionLocks;

/** What is asked of the database for {@link TransactionLocks}. Internal. */
public interface LockStore {

    /**
     * Takes a lock for the open transaction if nobody else has it.
     *
     * @param connection of the transaction
     * @param id from {@link LockId}
     * @return whether the transaction has the lock now
     */
    boolean tryTake(Connection connection, long id);

    /**
     * Takes a lock for the open transaction, and waits for it.
     *
     * @param connection of the transaction
     * @param id from {@link LockId}
     * @param waitLimit the longest wait
     * @return how the wait ended without the lock, which has aborted the transaction; empty if the transaction has the lock
     */
    Optional<SQLException> take(Connection connection, long id, Duration waitLimit);
}
