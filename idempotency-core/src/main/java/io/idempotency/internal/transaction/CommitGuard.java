package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.TransactionFailedException;

/**
 * The check, before the COMMIT, that the transaction still contains what the library has written in it. If a statement has
 * failed, PostgreSQL answers COMMIT with ROLLBACK, and the driver's {@code commit()} does not say so. If the method has ended the
 * transaction, the driver sends nothing. {@link ActiveTransaction} makes the check after all other callbacks, immediately
 * before the COMMIT. With managers that take no listener it is made as a synchronization, which is earlier.
 *
 * @param holder the holder of the connection, which identifies the transaction among the transactions of the thread
 * @param required the required state besides not being aborted: ENDED requires nothing, OPEN that a transaction is open, MARKED
 *     that it is still the one that was marked
 */
public record CommitGuard(Connection connection, ConnectionHolder holder, TransactionState required)
        implements TransactionSynchronization {

    private static final String SWALLOWED =
            "The transaction was rolled back, because a failed SQL statement was swallowed"
                    + " before the commit, so that PostgreSQL would have rolled back silently: let the exception leave the"
                    + " method or the callback, or set a savepoint before the statement";

    private static final String ENDED =
            "The transaction was not committed as a whole, because it was ended by hand: never"
                    + " commit, roll back or switch auto-commit on the connection of a transaction that idempotent calls, messages"
                    + " or locks are part of";

    /**
     * Guards the open transaction of this thread. Equal guards are kept once. A caller may roll back to a savepoint before the claim,
     * so the transaction need not stay marked.
     */
    public static void register(Connection connection, ConnectionHolder holder) {
        TransactionState state = TransactionState.of(connection);
        register(connection, holder, state == TransactionState.MARKED ? TransactionState.OPEN : state);
    }

    /** Guards a transaction that the call has started, and that ends with it. */
    public static void registerOwn(Connection connection, ConnectionHolder holder) {
        register(connection, holder, TransactionState.of(connection));
    }

    private static void register(Connection connection, ConnectionHolder holder, TransactionState required) {
        TransactionSynchronizationManager.registerSynchronization(new CommitGuard(connection, holder, required));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (!ActiveTransaction.isKnownOpen(holder)) {
            requireCommittable();
        }
    }

    /** Rolls back again if the rollback has failed, because the manager's clean-up commits what is open when it resets auto-commit. */
    @Override
    public void afterCompletion(int status) {
        if (status == STATUS_UNKNOWN) {
            FailedCommit.rollBackUnsent(connection);
        }
    }

    /** Throws unless the transaction can commit. */
    public void requireCommittable() {
        @Nullable String problem = switch (TransactionState.of(connection)) {
            case MARKED -> null;
            case OPEN -> required == TransactionState.MARKED ? ENDED : null;
            case ABORTED -> SWALLOWED;
            case ENDED -> required == TransactionState.ENDED ? null : ENDED;
        };
        if (problem != null) {
            throw new TransactionFailedException(problem);
        }
    }
}
