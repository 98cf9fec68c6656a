package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.test.TestSize;

/** Leased callers whose lease is renewed, and may have expired before. */
class RenewalInterleavingTest extends InterventionInterleavings {

    private static final Bounds ONE_SWITCH = Bounds.of(NO_FAULTS, 0).withSwitches(1);

    RenewalInterleavingTest() {
        super(Object.class, List.of(ScopedCalls.LEASED, ScopedCalls.STEPS), "idempotency.max-lease=2h");
    }

    @Test
    void aRenewalBesideACall() {
        for (ScopedCalls<?> calls : List.of(ScopedCalls.LEASED, ScopedCalls.STEPS)) {
            explorer(calls.withFailures((caller, run) -> false), List.of(1), Intervention.RENEWAL)
                    .exploreAll(NO_FAULTS, 0);
        }
    }

    @Test
    void aRenewalAfterTheLeaseHasExpiredBesideATakeover() {
        explorer(ScopedCalls.LEASED, List.of(0, 1), Intervention.EXPIRY, Intervention.RENEWAL)
                .exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(0));
    }

    @Test
    @Tag("full")
    void theSameWithMoreSwitches() {
        explorer(ScopedCalls.LEASED, List.of(0, 1), Intervention.EXPIRY, Intervention.RENEWAL)
                .exploreAll(ONE_SWITCH);
        explorer(ScopedCalls.STEPS, List.of(0, 1), Intervention.EXPIRY, Intervention.RENEWAL)
                .walk(1, TestSize.pick(60, 1_000), 1);
    }

    @Test
    void aHolderDoesNotWaitForAnInstanceThatStandsStillInItsRenewal() {
        CallersBeside scenario = new CallersBeside(
                applications(), ScopedCalls.LEASED, List.of(1), Past.NONE, List.of(Intervention.RENEWAL));
        halting(scenario).exploreAll(Bounds.of(EnumSet.of(Fault.HALTED), 1).withSwitches(1));
    }

    private Explorer explorer(ScopedCalls<?> calls, List<Integer> places, Intervention... interventions) {
        return explorer(new CallersBeside(applications(), calls, places, Past.NONE, List.of(interventions)));
    }
}
