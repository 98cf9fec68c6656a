package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** All modes in the transactions of plain JDBC. */
class ReadCommittedInterleavingTest extends CallInterleavings {

    ReadCommittedInterleavingTest() {
        super(Map.of(
                Mode.TRANSACTIONAL, EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED),
                Mode.UNREPEATED, EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED),
                Mode.SWALLOWING, EnumSet.of(Fault.SERIALIZATION),
                Mode.OPTIMISTIC, EnumSet.of(Fault.UNSENT, Fault.UNANSWERED),
                Mode.WRITE, EnumSet.of(Fault.UNSENT, Fault.UNANSWERED),
                Mode.LEASED, EnumSet.noneOf(Fault.class),
                Mode.STEP, EnumSet.noneOf(Fault.class)));
    }

    @Override
    Set<Fault> faultsInFull(Mode mode) {
        return EnumSet.allOf(Fault.class);
    }

    @Test
    void twoCallersWithDifferentPayloads() {
        differentPayloads().exploreAll(EnumSet.of(Fault.COMMIT_UNANSWERED), 1);
    }

    @Test
    @Tag("full")
    void twoCallersWithDifferentPayloadsAndOneFault() {
        differentPayloads().exploreAll(EnumSet.allOf(Fault.class), 1);
    }

    @Test
    @Tag("full")
    void twoLeasedCallersAndALeaseThatExpires() {
        withExpiry(Mode.LEASED).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    /** Some thousand schedules, which take more than a minute. */
    @Test
    @EnabledIfSystemProperty(named = "idempotency.test.size", matches = "long")
    void twoCallersWithAStepAndALeaseThatExpires() {
        withExpiry(Mode.STEP).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    private Explorer differentPayloads() {
        return explorer("different-payloads", new OtherPayload(applications()));
    }
}
