package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.test.TestSize;

/** Instances that finish a call beside each other, and beside a caller that repeats it. */
class ResumeInterleavingTest extends InterventionInterleavings {

    ResumeInterleavingTest() {
        super(WithResumer.class, List.of(ScopedCalls.RESUMED));
    }

    @Test
    void oneInstanceOrTheCallerFinishesACallWhoseProcessHasEnded() {
        explorer(List.of(0), Past.UNFINISHED, Intervention.RESUMPTION)
                .exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(1));
    }

    @Test
    void oneOfTwoInstancesFinishesACallWhoseProcessHasEnded() {
        explorer(List.of(), Past.UNFINISHED, Intervention.RESUMPTION, Intervention.RESUMPTION)
                .exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(1));
    }

    @Test
    void oneOfTwoCallersTakesACallOverWhoseProcessHasEnded() {
        explorer(List.of(0, 1), Past.UNFINISHED)
                .exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(2));
    }

    /** Nobody else takes its lease over, so that it is answered. */
    @Test
    void aCallThatOutlivesItsLeaseIsNotResumedInItsOwnProcess() {
        explorer(new CallersBeside(
                        applications(),
                        ScopedCalls.RESUMED.withFailures((caller, run) -> false),
                        List.of(0),
                        Past.NONE,
                        List.of(Intervention.EXPIRY, Intervention.RESUMPTION)))
                .exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(1));
    }

    /** An instance that has found the call before may not make it any more. */
    @Test
    void aFailureThatItsCallerHasGotIsNotResumed() {
        Failures ofRefused = (caller, run) -> caller.failure() instanceof IllegalStateException
                && run.actors().get(1).attempt() == 0;
        explorer(new CallersBeside(
                        applications(),
                        ScopedCalls.RESUMED.withFailures(ofRefused),
                        List.of(0),
                        Past.UNFINISHED_AND_FAILING,
                        List.of(Intervention.RESUMPTION)))
                .exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(2));
    }

    @Test
    @Tag("full")
    void theSameWithMoreSwitches() {
        Bounds bounds = Bounds.of(NO_FAULTS, 0).withSwitches(2);
        explorer(List.of(0), Past.UNFINISHED, Intervention.RESUMPTION).exploreAll(bounds);
        explorer(List.of(), Past.UNFINISHED, Intervention.RESUMPTION, Intervention.RESUMPTION)
                .exploreAll(bounds);
    }

    @Test
    @Tag("full")
    void aCallWhoseProcessHasEndedAtRandomWithTwoFaults() {
        explorer(List.of(0), Past.UNFINISHED, Intervention.RESUMPTION, Intervention.RESUMPTION)
                .walk(1, TestSize.pick(40, 400), 2);
    }

    @Test
    @Tag("full")
    void aCallWhoseProcessStandsStillAtRandom() {
        CallersBeside scenario = scenario(
                List.of(0, 1), Past.NONE, Intervention.EXPIRY, Intervention.RESUMPTION, Intervention.RESUMPTION);
        halting(scenario).walk(1, TestSize.pick(25, 150), Bounds.of(EnumSet.of(Fault.HALTED), 1));
    }

    @Test
    void aHolderDoesNotWaitWithoutBoundForAnInstanceThatStandsStillInItsReclaim() {
        CallersBeside scenario = scenario(
                List.of(0, 1), Past.NONE, Intervention.EXPIRY, Intervention.RESUMPTION, Intervention.RESUMPTION);
        halting(scenario)
                .replay("resumption1 resumption2 resumption1 resumption2 a a a resumption1 resumption2 expiry"
                        + " b b b b!HALTED a a");
    }

    private Explorer explorer(List<Integer> places, Past past, Intervention... interventions) {
        return explorer(scenario(places, past, interventions));
    }

    private CallersBeside scenario(List<Integer> places, Past past, Intervention... interventions) {
        return new CallersBeside(applications(), ScopedCalls.RESUMED, places, past, List.of(interventions));
    }

    @Configuration(proxyBeanMethods = false)
    @Import({BriefShop.class, Resumer.Replacing.class})
    static class WithResumer {}
}
