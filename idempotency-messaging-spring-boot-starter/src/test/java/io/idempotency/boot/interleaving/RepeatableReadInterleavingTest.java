package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.Map;

/** Calls whose transactions have a snapshot. */
class RepeatableReadInterleavingTest extends CallInterleavings {

    RepeatableReadInterleavingTest() {
        super(
                Map.of(
                        Mode.TRANSACTIONAL, EnumSet.noneOf(Fault.class),
                        Mode.OPTIMISTIC, EnumSet.noneOf(Fault.class),
                        Mode.WRITE, EnumSet.noneOf(Fault.class),
                        Mode.LEASED, EnumSet.noneOf(Fault.class)),
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ");
    }
}
