package io.idempotency.boot.interleaving;

import java.util.EnumSet;

/** Deliveries in REPEATABLE READ transactions. */
class RepeatableReadDeliveryInterleavingTest extends DeliveryInterleavings {

    RepeatableReadDeliveryInterleavingTest() {
        super(
                true,
                EnumSet.noneOf(Fault.class),
                EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED),
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ");
    }
}
