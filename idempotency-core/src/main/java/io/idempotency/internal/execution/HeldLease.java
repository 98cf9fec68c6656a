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

/** A committed claim in the hands of this call. */
final class HeldLease {

    private final ClaimResult claim;

    private final Fence fence;

    private final ClaimStore store;

    private final RequiresNewTransaction transactions;

    private volatile long end;

    private volatile @Nullable Connection methodsConnection;

    /**
     * Takes a granted claim in hand.
     *
     * @param claim what was granted, just now
     * @param fence names this claim and no other
     * @param duration of the lease
     * @param store where it is
     * @param transactions for what must not wait for the method's own
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

    /** The completion will be written on this connection. */
    void usedOn(Connection connection) {
        methodsConnection = connection;
    }

    /** By this JVM's clock, so only good enough for telling others when to come back. */
    Duration remaining() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    boolean isHeld() {
        return transactions
                .call(connection -> store.findSettled(connection, fence.requestId()))
                .filter(request -> request.status() == RequestStatus.PROCESSING)
                .filter(request -> fence.equals(request.fence(fence.requestId())))
                .isPresent();
    }

    /** Whether the method's transaction would collide at its end with every change of the row that is made now. */
    boolean isSeenInSnapshot() {
        Connection connection = methodsConnection;
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
