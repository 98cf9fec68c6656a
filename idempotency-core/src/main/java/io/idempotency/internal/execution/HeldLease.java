package io.idempotency.internal.execution;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/** The lease that a call holds: its claim is committed, and its method runs or is about to run. */
final class HeldLease {

    private final ClaimResult claim;

    private final Fence fence;

    private final ClaimStore store;

    private final RequiresNewTransaction transactions;

    private volatile long end;

    private volatile @Nullable Connection methodConnection;

    /**
     * Starts the lease of a claim that was just granted.
     *
     * @param claim the result of the claim
     * @param fence the fence of the claim
     * @param duration the length of the lease
     * @param store extends and finds the lease
     * @param transactions runs those statements outside of the method's transaction
     */
    HeldLease(
            ClaimResult claim, Fence fence, Duration duration, ClaimStore store, RequiresNewTransaction transactions) {
        this.claim = claim;
        this.fence = fence;
        this.store = store;
        this.transactions = transactions;
        this.end = System.nanoTime() + duration.toNanos();
    }

    ClaimResult claim() {
        return claim;
    }

    Fence fence() {
        return fence;
    }

    /** Sets the connection of the method's transaction, on which the completion will be written. */
    void setMethodConnection(Connection connection) {
        methodConnection = connection;
    }

    /** Returns the remaining time by this JVM's clock, which only suggests when to retry: the database's clock decides. */
    Duration remaining() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    boolean isHeld() {
        return transactions
                .call(connection -> store.findSettled(connection, fence))
                .filter(request -> request.status() == RequestStatus.PROCESSING)
                .filter(request -> request.isClaimedBy(fence))
                .isPresent();
    }

    /** Returns whether the completion would fail if another transaction changed the row now. */
    boolean conflictsWithSnapshot() {
        Connection connection = methodConnection;
        try {
            return connection != null && connection.getTransactionIsolation() >= Connection.TRANSACTION_REPEATABLE_READ;
        } catch (SQLException closedOrAborted) {
            return false;
        }
    }

    boolean extend(Duration duration) {
        long extended = System.nanoTime() + duration.toNanos();
        boolean held = transactions.call(connection -> store.extendLease(connection, fence, duration));
        if (held) {
            end = Math.max(end, extended);
        }
        return held;
    }
}
