package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.OutcomeUnknownException;
import io.idempotency.RequestInProgressException;
import io.idempotency.boot.interleaving.Shop.Receipt;
import io.idempotency.test.TestSize;

/** Callers of a key beside an instance that stands still in its transaction, and beside an interrupt. */
class HaltedInterleavingTest extends InterventionInterleavings {

    private static final Set<Fault> HALTED = EnumSet.of(Fault.HALTED);

    private static final ScopedCalls<Shop> REFUSED_TO_THE_THIRD = new ScopedCalls<>(
            "transactional", Shop.class, HaltedInterleavingTest::callUnlessThird, (caller, run) -> false);

    private static final ScopedCalls<Shop> INTERRUPTED = new ScopedCalls<>(
            "transactional", Shop.class, HaltedInterleavingTest::interruptAndCall, (caller, run) -> false);

    HaltedInterleavingTest() {
        super(
                WithBriefShop.class,
                List.of(
                        ScopedCalls.TRANSACTIONAL,
                        ScopedCalls.BRIEF_TRANSACTIONAL,
                        ScopedCalls.BRIEF_OPTIMISTIC,
                        ScopedCalls.BRIEF_LEASED),
                "idempotency.max-waiting=1",
                // By default it is 1 here as well, and would hide that the other bound is missing.
                "idempotency.max-waiting-in-all=2");
    }

    @ParameterizedTest
    @MethodSource("briefCalls")
    void whoWaitsForAnInstanceThatStandsStillIsToldThatTheCallIsInProgress(ScopedCalls<?> calls) {
        halting(scenario(calls, List.of(0, 1))).exploreAll(Bounds.of(HALTED, 1).withSwitches(0));
    }

    static List<ScopedCalls<?>> briefCalls() {
        return List.of(ScopedCalls.BRIEF_TRANSACTIONAL, ScopedCalls.BRIEF_OPTIMISTIC, ScopedCalls.BRIEF_LEASED);
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
        int count = TestSize.pick(10, 100);
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

    /** Each that waits blocks a thread. */
    @Test
    void whoWouldBeOneMoreThanMayWaitIsToldThatTheCallIsInProgress() {
        Failures ofThird =
                (caller, run) -> caller.name().equals("c") && caller.failure() instanceof RequestInProgressException;
        explorer(scenario(REFUSED_TO_THE_THIRD.withFailures(ofThird), List.of(0, 0, 0)))
                .exploreAll(NO_FAULTS, 0);
    }

    private static Receipt callUnlessThird(Shop shop, String key) {
        Receipt receipt = shop.transactional(key, 5);
        if (Actor.current() != null && Actor.current().name().equals("c")) {
            throw new IllegalStateException("Two have waited for one key");
        }
        return receipt;
    }

    /** It waits for nobody, so that there is nothing to interrupt. */
    @Test
    void aThreadThatWasInterruptedBeforeItsCallGetsAFreeKey() {
        explorer(scenario(INTERRUPTED, List.of(0))).exploreAll(NO_FAULTS, 0);
    }

    private static Receipt interruptAndCall(Shop shop, String key) {
        Thread.currentThread().interrupt();
        try {
            return shop.transactional(key, 5);
        } finally {
            Thread.interrupted();
        }
    }

    /** Its COMMIT is lost, and the key is held by another caller then, who stands still. */
    @Test
    void whoFindsItsKeyHeldAfterALostCommitIsToldThatTheOutcomeIsUnknown() {
        afterLostCommit().replay("a b a a a!COMMIT_LOST b!HALTED");
    }

    @Test
    @Tag("full")
    void twoCallersALostCommitAndOneThatStandsStill() {
        afterLostCommit()
                .exploreAll(Bounds.of(EnumSet.of(Fault.COMMIT_LOST, Fault.HALTED), 2)
                        .withSwitches(1));
    }

    private Explorer afterLostCommit() {
        Failures ofUnknown = (caller, run) -> caller.faults().contains(Fault.COMMIT_LOST)
                ? caller.failure() instanceof OutcomeUnknownException
                : Failures.besideHalted(caller, run);
        return halting(scenario(ScopedCalls.BRIEF_TRANSACTIONAL.withFailures(ofUnknown), List.of(0, 1)));
    }

    private CallersBeside scenario(ScopedCalls<?> calls, List<Integer> places, Intervention... interventions) {
        return new CallersBeside(applications(), calls, places, Past.NONE, List.of(interventions));
    }

    @Configuration(proxyBeanMethods = false)
    @Import({BriefShop.class, Resumer.Replacing.class})
    static class WithBriefShop {}
}
