package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Deliveries in READ COMMITTED transactions. */
class DeliveryInterleavingTest extends DeliveryInterleavings {

    DeliveryInterleavingTest() {
        super(
                false,
                EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED),
                EnumSet.allOf(Fault.class));
    }
}
