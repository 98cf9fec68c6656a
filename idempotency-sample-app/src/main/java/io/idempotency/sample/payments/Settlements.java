package io.idempotency.sample.payments;

import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Which payments are settled. */
@Repository
public class Settlements {

    private static final String ADD = """
            insert into payment_settlement (payment_id)
            values (:paymentId)
            on conflict (payment_id) do nothing""";

    private final JdbcClient jdbc;

    Settlements(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Makes a payment {@link PaymentStatus#SETTLED}, in the caller's transaction. A payment that is not known yet, because
     * its transaction is still open or will only begin, is settled from its first day. Had its row to be updated, whoever
     * tells of it too early would have to be asked to come again, and of the two who meet at that moment each could miss the
     * other.
     */
    public void settle(UUID paymentId) {
        jdbc.sql(ADD).param("paymentId", paymentId).update();
    }
}
