package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.TransactionFailedException;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.ClaimStore.TransactionState;

/**
 * The check, before the COMMIT, that the transaction still contains what the library has written in it. If a statement has
 * failed, PostgreSQL answers COMMIT with ROLLBACK, and the driver's {@code commit()} does not say so. If the method has ended the
 * transaction, the driver sends nothing. {@link TransactionTracker} makes the check after all other callbacks, immediately
 * before the COMMIT. With managers that take no listener it is made as a synchronization, which is earlier.
 *
 * @param connection the connection of the transaction
 * @param holder the holder of the connection, which identifies the transaction among those of the thread
 * @param store knows the state of the transaction without a round trip
 * @param required the required state besides not being aborted: ENDED requires nothing, OPEN that a transaction is open, CLAIMED
 *     that it is still the one with the claim
 */
public record CommitGuard(Connection connection, ConnectionHolder holder, ClaimStore store, TransactionState required)
        implements TransactionSynchronization {

    private static final String SWALLOWED =
            "The transaction was rolled back, because a failed SQL statement was swallowed"
                    + " before the commit, so that PostgreSQL would have rolled back without a word: let the exception leave the"
                    + " method or the callback, or set a savepoint before the statement";

    private static final String ENDED =
            "The transaction was not committed as a whole, because it was ended by hand: never"
                    + " commit, roll back or switch auto-commit on the connection of a transaction that idempotent calls, messages"
                    + " or locks are part of";

    /**
     * Guards the open transaction of this thread. Equal guards are kept once. A caller may roll back to a savepoint before the claim,
     * so the transaction need not stay one with a claim.
     */
    public static void register(Connection connection, ConnectionHolder holder, ClaimStore store) {
        TransactionState state = store.transactionState(connection);
        register(connection, holder, store, state == TransactionState.CLAIMED ? TransactionState.OPEN : state);
    }

    /** Guards a transaction that the call has started, and that ends with it. */
    public static void registerOwn(Connection connection, ConnectionHolder holder, ClaimStore store) {
        register(connection, holder, store, store.transactionState(connection));
    }

    private static void register(
            Connection connection, ConnectionHolder holder, ClaimStore store, TransactionState required) {
        TransactionSynchronizationManager.registerSynchronization(new CommitGuard(connection, holder, store, required));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (!TransactionTracker.isOpen(holder)) {
            requireCommittable();
        }
    }

    /** Throws unless the transaction can commit. */
    public void requireCommittable() {
        @Nullable String problem = switch (store.transactionState(connection)) {
            case CLAIMED -> null;
            case OPEN -> required == TransactionState.CLAIMED ? ENDED : null;
            case ABORTED -> SWALLOWED;
            case ENDED -> required == TransactionState.ENDED ? null : ENDED;
        };
        if (problem != null) {
            throw new TransactionFailedException(problem);
        }
    }
}
