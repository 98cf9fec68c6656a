package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.test.TestSize;

/** Leased callers whose lease expires, and whom a fault strikes as well. */
class ExpiredLeaseInterleavingTest extends InterventionInterleavings {

    /** Those of a COMMIT, and of a message that has one. */
    private static final Set<Fault> LOST_COMMITS =
            EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED, Fault.UNSENT, Fault.UNANSWERED);

    ExpiredLeaseInterleavingTest() {
        super(Object.class, List.of(ScopedCalls.LEASED, ScopedCalls.STEPS));
    }

    @Test
    void aCompletionInDoubtIsFound() {
        for (ScopedCalls<?> calls : List.of(ScopedCalls.LEASED, ScopedCalls.STEPS)) {
            explorer(new CallersBeside(applications(), calls, List.of(0), Past.NONE, List.of()))
                    .exploreAll(LOST_COMMITS, 1);
        }
    }

    /** Its failed transaction must not be committed when its connection goes back to the pool. */
    @Test
    void nothingIsCommittedAfterAnException() {
        for (ScopedCalls<?> calls : List.of(ScopedCalls.LEASED, ScopedCalls.STEPS)) {
            explorer(new CallersBeside(applications(), calls, List.of(0), Past.NONE, List.of()))
                    .exploreAll(EnumSet.of(Fault.EXCEPTION), 1);
        }
    }

    @Test
    void aLeaseExpiresAndACommitIsLost() {
        explorer(ScopedCalls.LEASED)
                .exploreAll(Bounds.of(EnumSet.of(Fault.COMMIT_LOST, Fault.UNSENT), 1)
                        .withSwitches(0));
    }

    @Test
    void theCommitOfAStepIsNotAnsweredAndTheLeaseIsTakenOver() {
        explorer(ScopedCalls.STEPS).replay("a a a a!COMMIT_UNANSWERED a expiry b b b b b b a");
    }

    @Test
    @Tag("full")
    void aLeaseExpiresAndOneFaultStrikes() {
        explorer(ScopedCalls.LEASED).exploreAll(bounds(LOST_COMMITS));
    }

    @Test
    @Tag("full")
    void aLeaseExpiresAndOneFaultStrikesACallWithAStep() {
        explorer(ScopedCalls.STEPS).exploreAll(bounds(EnumSet.of(Fault.COMMIT_UNANSWERED, Fault.UNANSWERED)));
    }

    @Test
    @Tag("full")
    void aLeaseExpiresAndOneFaultStrikesAtRandom() {
        int count = TestSize.pick(40, 1_000);
        explorer(ScopedCalls.LEASED).walk(1, count, 1);
        explorer(ScopedCalls.STEPS).walk(1, count, 1);
    }

    private static Bounds bounds(Set<Fault> inFull) {
        return TestSize.pick(
                Bounds.of(inFull, 1).withSwitches(1),
                Bounds.of(EnumSet.allOf(Fault.class), 1).withSwitches(1));
    }

    private Explorer explorer(ScopedCalls<?> calls) {
        return explorer(
                new CallersBeside(applications(), calls, List.of(0, 1), Past.NONE, List.of(Intervention.EXPIRY)));
    }
}
