package io.idempotency.internal.transaction;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.TransactionFailedException;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.ClaimStore.TransactionState;

/**
 * Refuses a COMMIT that would keep nothing of what the library has done in a transaction. PostgreSQL answers ROLLBACK if a
 * statement has failed, and the driver's {@code commit()} does not tell; it sends nothing if the transaction was ended by
 * hand. {@link TransactionTracker} asks after every other callback, immediately before the COMMIT. With managers that take
 * no listener it is asked as a synchronization, which is earlier.
 *
 * @param connection that of the transaction
 * @param store knows the state of its transaction without asking the server
 * @param known the state that the COMMIT requires, as far as it is known: ENDED requires nothing, OPEN that the transaction
 *     has not ended, CLAIMED that no other one follows it
 */
public record CommitGuard(Connection connection, ClaimStore store, TransactionState known)
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
     * Guards the open transaction of this thread; equal guards are kept once. A caller may go back to a savepoint and take a
     * claim back with it, so that the transaction need not stay one with a claim.
     */
    public static void register(Connection connection, ClaimStore store) {
        TransactionState state = store.transactionState(connection);
        register(connection, store, state == TransactionState.CLAIMED ? TransactionState.OPEN : state);
    }

    /** Guards the transaction of a call that ends with the call. */
    public static void registerOwn(Connection connection, ClaimStore store) {
        register(connection, store, store.transactionState(connection));
    }

    /** Guards a transaction whose completion travels with its COMMIT, and finds out by itself whether the claim still exists. */
    public static void registerUntilCompletion(Connection connection, ClaimStore store) {
        register(connection, store, TransactionState.ENDED);
    }

    private static void register(Connection connection, ClaimStore store, TransactionState known) {
        TransactionSynchronizationManager.registerSynchronization(new CommitGuard(connection, store, known));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (!TransactionTracker.isInnermostOpen()) {
            requireCommittable();
        }
    }

    public void requireCommittable() {
        @Nullable String problem = switch (store.transactionState(connection)) {
            case CLAIMED -> null;
            case OPEN -> known == TransactionState.CLAIMED ? ENDED : null;
            case ABORTED -> SWALLOWED;
            case ENDED -> known == TransactionState.ENDED ? null : ENDED;
        };
        if (problem != null) {
            throw new TransactionFailedException(problem);
        }
    }
}
