package io.idempotency.boot.interleaving;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.test.TestSize;

/** Callers of a key beside an operator who intervenes. */
class OperatorInterleavingTest extends InterventionInterleavings {

    OperatorInterleavingTest() {
        super(Object.class, List.of(ScopedCalls.TRANSACTIONAL, ScopedCalls.LEASED, ScopedCalls.STEPS));
    }

    @BeforeAll
    void query() {
        applications()
                .beans(IdempotencyAdministration.class)
                .forEach(administration -> administration.findStaleLeases(1));
    }

    @Test
    void aCallWhoseRowIsDeletedRunsOnceMore() {
        explorer(ScopedCalls.TRANSACTIONAL, 2, Intervention.FORGETTING).exploreAll(NO_FAULTS, 0);
    }

    @Test
    void aLeaseThatHasNotExpiredIsNotTouched() {
        explorer(ScopedCalls.LEASED, 2, Intervention.FORGETTING)
                .exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(1));
    }

    @ParameterizedTest
    @EnumSource(names = {"RELEASE", "COMPLETION", "DELETION"})
    void aCallWhoseLeaseIsEndedIsRolledBack(Intervention intervention) {
        explorer(ScopedCalls.LEASED, 1, intervention).exploreAll(NO_FAULTS, 0);
    }

    @ParameterizedTest
    @Tag("full")
    @EnumSource(names = {"RELEASE", "COMPLETION", "DELETION"})
    void aCallThatRunsInsteadOfOneWhoseLeaseIsEnded(Intervention intervention) {
        explorer(ScopedCalls.LEASED, 2, intervention)
                .exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(TestSize.pick(1, 2)));
    }

    @ParameterizedTest
    @Tag("full")
    @EnumSource(names = {"RELEASE", "COMPLETION", "DELETION"})
    void aCallWithAStepWhoseLeaseIsEnded(Intervention intervention) {
        explorer(ScopedCalls.STEPS, 1, intervention).exploreAll(NO_FAULTS, 0);
    }

    @Test
    @Tag("full")
    void twoCallersWhoseRowIsDeletedAtRandomWithOneFault() {
        explorer(ScopedCalls.TRANSACTIONAL, 2, Intervention.FORGETTING).walk(1, TestSize.pick(50, 600), 1);
    }

    @ParameterizedTest
    @Tag("full")
    @EnumSource(names = {"RELEASE", "COMPLETION", "DELETION"})
    void twoCallersAndAnEndedLeaseAtRandomWithOneFault(Intervention intervention) {
        int count = TestSize.pick(30, 300);
        explorer(ScopedCalls.LEASED, 2, intervention).walk(1, count, 1);
        explorer(ScopedCalls.STEPS, 2, intervention).walk(1, count, 1);
    }

    private Explorer explorer(ScopedCalls<?> calls, int callers, Intervention intervention) {
        return explorer(new CallersBeside(
                applications(),
                calls,
                List.of(0, 1).subList(0, callers),
                calls.equals(ScopedCalls.TRANSACTIONAL) ? Past.ANSWERED : Past.NONE,
                List.of(intervention)));
    }
}
