package io.idempotency.boot.interleaving;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.idempotency.test.TestSize;

/** Callers whom a second fault strikes while they repair what the first one has done. */
@Tag("full")
class TwoFaultsInterleavingTest extends InterventionInterleavings {

    private static final Set<Fault> HIDDEN =
            EnumSet.copyOf(Arrays.stream(Fault.values()).filter(Fault::isHidden).toList());

    TwoFaultsInterleavingTest() {
        super(Object.class, calls());
    }

    private static List<ScopedCalls<?>> calls() {
        return List.of(ScopedCalls.TRANSACTIONAL, ScopedCalls.OPTIMISTIC, ScopedCalls.LEASED, ScopedCalls.STEPS);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void theSecondFaultStrikesWhatTheFirstOneHasWoken(ScopedCalls<?> calls) {
        Bounds bounds = Bounds.ofPairs(HIDDEN);
        Explorer explorer = explorer(new CallersBeside(applications(), calls, List.of(0, 1), Past.NONE, List.of()));
        if (TestSize.current() == TestSize.LONG) {
            explorer.exploreAll(bounds.withSwitches(0));
        } else {
            explorer.walk(1, 40, bounds);
        }
    }
}
