package io.idempotency.boot.interleaving;

import java.util.EnumSet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.test.TestSize;

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

    /** Two of them deliver to one application, where duplicates wait for each other in the JVM. */
    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void threeBrokersAtRandomWithTwoFaults(Receiving receiving) {
        explorer(receiving, 3).walk(1, TestSize.pick(20, 2_000), 2);
    }
}
