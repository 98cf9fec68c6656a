package io.idempotency.execution;

import java.time.Duration;

import io.idempotency.claim.Claim;
import io.idempotency.claim.ClaimStore;
import io.idempotency.claim.Fence;

/**
 * A committed claim in the hands of this call.
 *
 * @param claim what was granted
 * @param fence names this claim and no other
 * @param store where it is
 * @param transactions for what must not wait for the method's own
 */
record HeldLease(Claim.Granted claim, Fence fence, ClaimStore store, ShortTransaction transactions) {

    boolean extend(Duration duration) {
        return transactions.call(connection -> store.extendLease(connection, fence, duration));
    }
}
