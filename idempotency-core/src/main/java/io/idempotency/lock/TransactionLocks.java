package io.idempotency.lock;

import java.time.Duration;

import io.idempotency.LockNotAcquiredException;
import io.idempotency.TransactionMismatchException;

/**
 * The exclusive locks for work that is not tied to one row, such as the settlement of a merchant's day. A lock has a
 * name for the work and a resource on which the work is done. It belongs to the open transaction and is released at its
 * end, also by a lost connection. It cannot be released by hand. The same transaction may acquire it again.
 *
 * <p>A lock does not record that the work was done. Work that must be done once needs a constraint or an idempotent
 * method as well. Two resources may share a lock, in rare cases. Their transactions then wait for each other without
 * need, which has no other effect.
 *
 * <p>After a wait, a transaction with the isolation {@code REPEATABLE READ} or {@code SERIALIZABLE} does not see what
 * the previous holder has committed, because its snapshot was taken before the wait. Use {@code READ COMMITTED}.
 *
 * <p>A rollback to a savepoint releases the locks that were acquired after it. Acquire several locks in the same order
 * everywhere; otherwise PostgreSQL ends one of the transactions with the SQLSTATE 40P01.
 *
 * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS">PostgreSQL, Advisory
 *     Locks</a>
 */
public interface TransactionLocks {

    /**
     * Acquires a lock unless another transaction holds it. Does not wait, and does not abort the transaction.
     *
     * @param name name of the work, 1 to 128 printable characters
     * @param resource resource on which it is done, 1 to 255 printable characters
     * @return whether this transaction holds the lock now
     * @throws IllegalArgumentException if name or resource are blank, too long or not printable
     * @throws TransactionMismatchException if no transaction is open on the DataSource of the idempotency tables
     */
    boolean tryAcquire(String name, String resource);

    /**
     * Acquires a lock, after waiting for the transaction that holds it.
     *
     * @param name name of the work, 1 to 128 printable characters
     * @param resource resource on which it is done, 1 to 255 printable characters
     * @param timeout longest wait, more than 0; limited by the remaining timeout of the transaction. A
     *     {@code lock_timeout} of the application may end the wait earlier
     * @throws LockNotAcquiredException if the wait has ended without the lock. The transaction is aborted and cannot
     *     commit, even if the exception is caught
     * @throws IllegalArgumentException if name or resource are blank, too long or not printable, or the timeout is not
     *     more than 0
     * @throws TransactionMismatchException if no transaction is open on the DataSource of the idempotency tables
     */
    void acquire(String name, String resource, Duration timeout);
}
