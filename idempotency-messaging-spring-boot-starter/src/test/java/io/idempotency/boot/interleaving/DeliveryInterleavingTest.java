package io.idempotency.boot.interleaving;

import java.util.EnumSet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deliveries in READ COMMITTED transactions. */
class DeliveryInterleavingTest extends DeliveryInterleavings {

    DeliveryInterleavingTest() {
        super(false);
    }

    @Test
    void twoBrokersAndACommitInDoubt() {
        explorer(Receiving.EACH, 2).exploreAll(EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED), 1);
    }

    @Test
    void oneBrokerAndAnExceptionThatItsReceiverMaySwallow() {
        explorer(Receiving.CARELESS_BATCH, 1).exploreAll(EnumSet.of(Fault.EXCEPTION), 1);
    }

    /** A version may come too early although its stream has begun. */
    @Test
    void threeBrokersWithVersionsInOrderAtRandom() {
        explorer(Receiving.IN_ORDER, 3).walk(1, 20, 0);
    }

    @Test
    void oneBrokerAndAnExceptionWhoseRollbackFails() {
        explorer(Receiving.BATCH, 1).exploreAll(EnumSet.of(Fault.EXCEPTION, Fault.ERROR), 2);
    }

    @Test
    void oneBrokerAndABatchWhoseRollbackMayFail() {
        explorer(Receiving.BATCH_AFTER_A_FAILURE, 1).exploreAll(EnumSet.of(Fault.EXCEPTION), 1);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void oneBrokerAndOneFault(Receiving receiving) {
        explorer(receiving, 1).exploreAll(EnumSet.allOf(Fault.class), 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"EACH", "ONCE", "BATCH"})
    @Tag("full")
    void twoBrokersAndOneFault(Receiving receiving) {
        explorer(receiving, 2).exploreAll(EnumSet.allOf(Fault.class), 1);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    @EnabledIfSystemProperty(named = "idempotency.test.size", matches = "long")
    void twoBrokersOfEachKindAndOneFault(Receiving receiving) {
        explorer(receiving, 2).exploreAll(EnumSet.allOf(Fault.class), 1);
    }
}
