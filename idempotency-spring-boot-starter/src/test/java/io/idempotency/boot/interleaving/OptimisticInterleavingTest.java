package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Calls that claim their key after the method. */
class OptimisticInterleavingTest extends CallInterleavings {

    OptimisticInterleavingTest() {
        super(
                (shop, key) -> shop.optimistic(key, 5),
                Failures::ofTransactions,
                EnumSet.of(Fault.COMMIT_LOST),
                EnumSet.allOf(Fault.class));
    }
}
