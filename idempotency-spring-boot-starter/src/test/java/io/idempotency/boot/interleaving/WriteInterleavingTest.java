package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Writes, whose message is one step with its COMMIT. */
class WriteInterleavingTest extends CallInterleavings {

    WriteInterleavingTest() {
        super(
                (shop, key) -> shop.write(key, 5),
                Failures::ofTransactions,
                EnumSet.of(Fault.UNSENT, Fault.UNANSWERED),
                EnumSet.allOf(Fault.class));
    }
}
