package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Deliveries in SERIALIZABLE transactions. */
class SerializableDeliveryInterleavingTest extends DeliveryInterleavings {

    SerializableDeliveryInterleavingTest() {
        super(
                true,
                EnumSet.noneOf(Fault.class),
                EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED),
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE");
    }
}
