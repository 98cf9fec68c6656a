package io.idempotency.boot.interleaving;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.test.TestSize;

/** Callers of a key whose row expires, beside the purge. */
class PurgeInterleavingTest extends InterventionInterleavings {

    private static final Bounds FEW_SWITCHES = Bounds.of(NO_FAULTS, 0).withSwitches(1);

    PurgeInterleavingTest() {
        super(
                Purging.WithEndpoint.class,
                List.of(ScopedCalls.TRANSACTIONAL, ScopedCalls.OPTIMISTIC, ScopedCalls.LEASED, ScopedCalls.STEPS),
                Purging.EXPOSURE,
                "idempotency.response-retention=1d");
    }

    @BeforeAll
    void purge() {
        applications().beans(Purging.class).forEach(Purging::purge);
    }

    @Test
    void aCallOfAnExpiredKeyIsAnsweredFromItsRowOrRunsAgain() {
        explorer(ScopedCalls.TRANSACTIONAL, 2, Past.ANSWERED).exploreAll(FEW_SWITCHES);
    }

    @Test
    void aCallThatRepeatsAnExpiredFailureKeepsItsRow() {
        explorer(ScopedCalls.TRANSACTIONAL, 1, Past.FAILED).exploreAll(FEW_SWITCHES);
    }

    @Test
    void aLeasedCallKeepsItsRowWhileItRuns() {
        explorer(ScopedCalls.LEASED, 1, Past.NONE).exploreAll(FEW_SWITCHES);
    }

    @Test
    @Tag("full")
    void theSameInEveryOrder() {
        explorer(ScopedCalls.TRANSACTIONAL, 2, Past.ANSWERED).exploreAll(NO_FAULTS, 0);
        explorer(ScopedCalls.TRANSACTIONAL, 1, Past.FAILED).exploreAll(NO_FAULTS, 0);
        explorer(ScopedCalls.LEASED, 1, Past.NONE).exploreAll(NO_FAULTS, 0);
    }

    /** Otherwise its step would be run again by the call that takes its lease over. */
    @Test
    void aCallThatRunsKeepsItsStepsAfterTheTimeOfItsResponse() {
        explorer(new CallersBeside(
                        applications(),
                        ScopedCalls.STEPS,
                        List.of(0, 1),
                        Past.NONE,
                        List.of(Intervention.CLEARING, Intervention.EXPIRY)))
                .replay("a a a a clearing expiry1 b b b b b b");
    }

    @Test
    void aPurgeDoesNotWaitForACallThatStandsStill() {
        halting(new CallersBeside(
                        applications(),
                        ScopedCalls.TRANSACTIONAL,
                        List.of(0),
                        Past.FAILED,
                        List.of(Intervention.PURGE)))
                .replay("purge a a a a a!HALTED purge");
    }

    @Test
    @Tag("full")
    void anOptimisticCallOfAnExpiredKey() {
        explorer(ScopedCalls.OPTIMISTIC, 2, Past.ANSWERED).exploreAll(NO_FAULTS, 0);
    }

    @Test
    @Tag("full")
    void aLeasedCallThatRepeatsAnExpiredFailure() {
        explorer(ScopedCalls.LEASED, 1, Past.FAILED).exploreAll(NO_FAULTS, 0);
    }

    @Test
    @Tag("full")
    void twoCallersOfAnExpiredKeyAtRandomWithOneFault() {
        int count = TestSize.pick(40, 400);
        explorer(ScopedCalls.TRANSACTIONAL, 2, Past.ANSWERED).walk(1, count, 1);
        explorer(ScopedCalls.OPTIMISTIC, 2, Past.ANSWERED).walk(1, count, 1);
    }

    @Test
    @Tag("full")
    void twoLeasedCallersAtRandomWithOneFault() {
        int count = TestSize.pick(40, 400);
        explorer(ScopedCalls.LEASED, 2, Past.NONE).walk(1, count, 1);
        explorer(ScopedCalls.LEASED, 2, Past.FAILED).walk(1, count, 1);
    }

    private Explorer explorer(ScopedCalls<?> calls, int callers, Past past) {
        return explorer(new CallersBeside(
                applications(), calls, List.of(0, 1).subList(0, callers), past, List.of(Intervention.PURGE)));
    }
}
