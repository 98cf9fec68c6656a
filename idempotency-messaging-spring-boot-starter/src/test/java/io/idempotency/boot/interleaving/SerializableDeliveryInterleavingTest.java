package io.idempotency.boot.interleaving;

/** Deliveries in SERIALIZABLE transactions. */
class SerializableDeliveryInterleavingTest extends DeliveryInterleavings {

    SerializableDeliveryInterleavingTest() {
        super(true, "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE");
    }
}
