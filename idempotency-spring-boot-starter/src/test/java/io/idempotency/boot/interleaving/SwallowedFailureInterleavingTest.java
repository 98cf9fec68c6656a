package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Calls whose method swallows what its statement throws. */
class SwallowedFailureInterleavingTest extends CallInterleavings {

    SwallowedFailureInterleavingTest() {
        super(
                (shop, key) -> {
                    shop.swallowing(key, 5);
                    return "done";
                },
                (caller, run) -> !caller.faults().isEmpty(),
                EnumSet.of(Fault.SERIALIZATION),
                EnumSet.allOf(Fault.class));
    }
}
