package io.idempotency.boot.interleaving;

/** Deliveries in REPEATABLE READ transactions. */
class RepeatableReadDeliveryInterleavingTest extends DeliveryInterleavings {

    RepeatableReadDeliveryInterleavingTest() {
        super(true, "spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ");
    }
}
