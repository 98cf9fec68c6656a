package io.idempotency.boot.interleaving;

import java.util.List;

import org.junit.jupiter.api.Test;

/** Leased callers whose lease is renewed before, while or after their transaction or their step takes its snapshot. */
class RenewalInSnapshotInterleavingTest extends InterventionInterleavings {

    RenewalInSnapshotInterleavingTest() {
        super(
                Object.class,
                List.of(ScopedCalls.LEASED, ScopedCalls.STEPS),
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ",
                "idempotency.max-lease=2h");
    }

    @Test
    void noCompletionFailsBecauseOfARenewal() {
        for (ScopedCalls<?> calls : List.of(ScopedCalls.LEASED, ScopedCalls.STEPS)) {
            explorer(new CallersBeside(
                            applications(),
                            calls.withFailures((caller, run) -> false),
                            List.of(1),
                            Past.NONE,
                            List.of(Intervention.RENEWAL)))
                    .exploreAll(NO_FAULTS, 0);
        }
    }
}
