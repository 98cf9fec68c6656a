package io.idempotency.boot.interleaving;

import org.junit.jupiter.api.Test;

/** Deliveries in REPEATABLE READ transactions. */
class RepeatableReadDeliveryInterleavingTest extends DeliveryInterleavings {

    RepeatableReadDeliveryInterleavingTest() {
        super(true, "spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ");
    }

    /** The claim of a batch is two messages in a snapshot: the first one has written, the second one fails, and then the rollback. */
    @Test
    void aBatchThatFailsWithinItsClaimAndWhoseRollbackFails() {
        explorer(Receiving.BATCH, 1).replay("a a!ERROR a!ERROR");
        explorer(Receiving.BATCH, 1).replay("a a!EXCEPTION a!ERROR");
    }
}
