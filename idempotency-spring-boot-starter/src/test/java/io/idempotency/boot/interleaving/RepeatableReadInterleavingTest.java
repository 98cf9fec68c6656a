package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Calls that claim their key first, in REPEATABLE READ transactions. */
class RepeatableReadInterleavingTest extends CallInterleavings {

    RepeatableReadInterleavingTest() {
        super(
                (shop, key) -> shop.transactional(key, 5),
                Failures::ofTransactions,
                EnumSet.noneOf(Fault.class),
                EnumSet.of(Fault.TERMINATED, Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED),
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ");
    }
}
