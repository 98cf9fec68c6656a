package io.idempotency.boot.interleaving;

import java.util.EnumSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Leased calls whose effect is a step. */
class StepInterleavingTest extends CallInterleavings {

    StepInterleavingTest() {
        super(
                (shop, key) -> shop.withStep(key, 5),
                Failures::ofLeases,
                EnumSet.noneOf(Fault.class),
                EnumSet.noneOf(Fault.class));
    }

    /** Some thousand schedules, which take more than a minute. */
    @Test
    @EnabledIfSystemProperty(named = "idempotency.test.size", matches = "long")
    void twoCallersAndALeaseThatExpires() {
        explorer(2, true, Failures::ofLeasesThatExpire).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }
}
