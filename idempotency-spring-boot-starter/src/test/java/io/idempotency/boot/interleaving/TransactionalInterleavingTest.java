package io.idempotency.boot.interleaving;

import java.util.EnumSet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls that claim their key first. */
class TransactionalInterleavingTest extends CallInterleavings {

    TransactionalInterleavingTest() {
        super(
                (shop, key) -> shop.transactional(key, 5),
                Failures::ofTransactions,
                EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED),
                EnumSet.allOf(Fault.class));
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

    private Explorer differentPayloads() {
        return new Explorer("different-payloads", applications().server(), new OtherPayload(applications()));
    }
}
