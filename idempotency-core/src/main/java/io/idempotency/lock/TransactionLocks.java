package io.idempotency.lock;

import java.time.Duration;

import io.idempotency.LockNotAcquiredException;
import io.idempotency.TransactionMismatchException;

/**
 * Lets one transaction at a time work on something that no row stands for, such as the settlement of a merchant's day. A lock
 * has a name, which says what is done, and a resource, which says on what. It belongs to the open transaction and is released
 * by its end, a lost connection included; there is nothing to release by hand. The same transaction may take it again.
 *
 * <p>A lock makes others wait; it does not remember that the work was done. What must be done once needs a constraint or an
 * idempotent method as well. Two resources may share a lock, if rarely: their transactions then wait for each other without
 * need, and nothing else happens.
 *
 * <p>After a wait, a transaction with the isolation {@code REPEATABLE READ} or {@code SERIALIZABLE} does not see what the
 * one before has committed, because its snapshot was taken before the wait. Use {@code READ COMMITTED}.
 *
 * <p>A rollback to a savepoint releases the locks that were taken after it. Whoever takes several takes them in the same
 * order everywhere; otherwise PostgreSQL ends one of the transactions with the SQLSTATE 40P01.
 *
 * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS">PostgreSQL, Advisory Locks</a>
 */
public interface TransactionLocks {

    /**
     * Takes a lock if nobody else has it. Does not wait, and leaves the transaction as it is either way.
     *
     * @param name what is done: 1 to 128 printable characters
     * @param resource on what: 1 to 255 printable characters
     * @return whether this transaction has the lock now
     * @throws IllegalArgumentException if name or resource are blank, too long or not printable
     * @throws TransactionMismatchException if no transaction is open on the DataSource of the idempotency tables
     */
    boolean tryAcquire(String name, String resource);

    /**
     * Takes a lock, and waits for the transaction that has it.
     *
     * @param name what is done: 1 to 128 printable characters
     * @param resource on what: 1 to 255 printable characters
     * @param timeout the longest wait, more than 0; what is left of the transaction's own timeout if that is shorter. A
     *     {@code lock_timeout} of the application may end the wait before
     * @throws LockNotAcquiredException if the wait has ended without the lock. The transaction is aborted then: it cannot
     *     commit, even if the exception is caught
     * @throws IllegalArgumentException if name or resource are blank, too long or not printable, or the timeout is not more
     *     than 0
     * @throws TransactionMismatchException if no transaction is open on the DataSource of the idempotency tables
     */
    void acquire(String name, String resource, Duration timeout);
}
