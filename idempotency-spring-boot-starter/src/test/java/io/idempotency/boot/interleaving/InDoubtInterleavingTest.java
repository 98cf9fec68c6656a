package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Calls that may not be repeated, so that an in-doubt COMMIT is all that is resolved. */
class InDoubtInterleavingTest extends CallInterleavings {

    InDoubtInterleavingTest() {
        super(
                (shop, key) -> shop.transactional(key, 5),
                Failures::ofTransactionsWithoutRepeats,
                EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED),
                EnumSet.allOf(Fault.class),
                "idempotency.retry.max-attempts=1");
    }
}
