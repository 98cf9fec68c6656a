package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Calls that claim their key first. */
class TransactionalInterleavingTest extends CallInterleavings {

    TransactionalInterleavingTest() {
        super(
                (shop, key) -> shop.transactional(key, 5),
                Failures::ofTransactions,
                EnumSet.of(Fault.TERMINATED, Fault.COMMIT_UNANSWERED),
                EnumSet.allOf(Fault.class));
    }
}
