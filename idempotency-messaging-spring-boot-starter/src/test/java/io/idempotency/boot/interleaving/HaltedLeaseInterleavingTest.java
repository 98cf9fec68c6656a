package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.test.TestSize;

/** Callers of a key beside an instance that stands still with its lease, which expires. */
@Tag("full")
class HaltedLeaseInterleavingTest extends InterventionInterleavings {

    HaltedLeaseInterleavingTest() {
        super(HaltedInterleavingTest.WithBriefShop.class, List.of(ScopedCalls.BRIEF_LEASED, ScopedCalls.STEPS));
    }

    @Test
    void anInstanceThatStandsStillLosesItsLeaseToTheOther() {
        halting(List.of(0, 1)).exploreAll(bounds().withSwitches(0));
    }

    @Test
    void anInstanceThatStandsStillLosesItsLeaseToOneOfTwoAtRandom() {
        halting(List.of(0, 1, 0)).walk(1, TestSize.pick(10, 100), bounds());
    }

    @Test
    void anInstanceThatStandsStillBesideACallWithAStepAtRandom() {
        halting(ScopedCalls.STEPS, List.of(0, 1)).walk(1, TestSize.pick(20, 100), bounds());
    }

    private static Bounds bounds() {
        return Bounds.of(EnumSet.of(Fault.HALTED), 1);
    }

    private Explorer halting(List<Integer> places) {
        return halting(ScopedCalls.BRIEF_LEASED, places);
    }

    private Explorer halting(ScopedCalls<?> calls, List<Integer> places) {
        return halting(new CallersBeside(applications(), calls, places, Past.NONE, List.of(Intervention.EXPIRY)));
    }
}
