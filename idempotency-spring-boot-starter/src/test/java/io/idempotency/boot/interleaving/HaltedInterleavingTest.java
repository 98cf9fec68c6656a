package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.RequestInProgressException;
import io.idempotency.test.TestSize;

/** Callers of a key beside an instance that stands still in its transaction, and beside an interrupt. */
class HaltedInterleavingTest extends InterventionInterleavings {

    private static final Set<Fault> HALTED = EnumSet.of(Fault.HALTED);

    HaltedInterleavingTest() {
        super(
                WithBriefShop.class,
                List.of(ScopedCalls.TRANSACTIONAL, ScopedCalls.BRIEF_TRANSACTIONAL, ScopedCalls.BRIEF_OPTIMISTIC));
    }

    @Test
    void whoWaitsForAnInstanceThatStandsStillIsToldThatTheCallIsInProgress() {
        halting(scenario(ScopedCalls.BRIEF_TRANSACTIONAL, List.of(0, 1)))
                .exploreAll(Bounds.of(HALTED, 1).withSwitches(0));
    }

    @Test
    @Tag("full")
    void twoCallersAndAnInstanceThatStandsStill() {
        halting(scenario(ScopedCalls.BRIEF_TRANSACTIONAL, List.of(0, 1))).exploreAll(HALTED, 1);
    }

    @Test
    @Tag("full")
    void anOptimisticCallThatStandsStill() {
        halting(scenario(ScopedCalls.BRIEF_OPTIMISTIC, List.of(0, 1))).exploreAll(HALTED, 1);
    }

    @Test
    @Tag("full")
    void threeCallersAtRandomBesideOneThatStandsStill() {
        int count = TestSize.pick(10, 300);
        halting(scenario(ScopedCalls.BRIEF_TRANSACTIONAL, List.of(0, 1, 0))).walk(1, count, Bounds.of(HALTED, 1));
        halting(scenario(ScopedCalls.BRIEF_LEASED, List.of(0, 1, 0), Intervention.EXPIRY))
                .walk(1, count, Bounds.of(HALTED, 1));
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsIsToldThatTheCallIsInProgress() {
        Failures ofInterrupted =
                (caller, run) -> caller.name().equals("b") && caller.failure() instanceof RequestInProgressException;
        explorer(scenario(
                        ScopedCalls.TRANSACTIONAL.withFailures(ofInterrupted),
                        List.of(0, 0),
                        Intervention.INTERRUPTION))
                .exploreAll(NO_FAULTS, 0);
    }

    private CallersBeside scenario(ScopedCalls<?> calls, List<Integer> places, Intervention... interventions) {
        return new CallersBeside(applications(), calls, places, Past.NONE, List.of(interventions));
    }

    @Configuration(proxyBeanMethods = false)
    @Import({BriefShop.class, Resumer.Replacing.class})
    static class WithBriefShop {}
}
