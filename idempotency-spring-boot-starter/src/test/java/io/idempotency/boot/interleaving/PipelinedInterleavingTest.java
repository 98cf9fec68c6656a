package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Calls whose completion is sent with the COMMIT. */
class PipelinedInterleavingTest extends CallInterleavings {

    PipelinedInterleavingTest() {
        super(
                (shop, key) -> shop.transactional(key, 5),
                Failures::ofTransactions,
                EnumSet.of(Fault.UNSENT),
                EnumSet.of(Fault.TERMINATED, Fault.UNSENT, Fault.UNANSWERED, Fault.SERIALIZATION),
                "idempotency.pipelined-commit=true");
    }
}
