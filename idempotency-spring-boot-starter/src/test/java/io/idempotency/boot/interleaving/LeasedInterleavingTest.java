package io.idempotency.boot.interleaving;

import java.util.EnumSet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leased calls whose effect and completion are one transaction. */
class LeasedInterleavingTest extends CallInterleavings {

    LeasedInterleavingTest() {
        super(
                (shop, key) -> shop.leased(key, 5),
                Failures::ofLeases,
                EnumSet.noneOf(Fault.class),
                EnumSet.of(Fault.COMMIT_UNANSWERED));
    }

    @Test
    void twoCallersAndALeaseThatExpiresInAFewSchedules() {
        explorer(2, true, Failures::ofLeasesThatExpire).exploreFirst(120);
    }

    @Test
    @Tag("full")
    void twoCallersAndALeaseThatExpires() {
        explorer(2, true, Failures::ofLeasesThatExpire).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }
}
