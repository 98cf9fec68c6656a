package io.idempotency.boot.contract;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/** What {@link Payments} answer: different for every execution, so that equal answers mean one execution. */
record Receipt(UUID paymentId, String account, long cents, Instant at) {

    /** In the precision that PostgreSQL keeps. */
    static Receipt of(PayCommand command) {
        return new Receipt(
                UUID.randomUUID(),
                command.account(),
                command.cents(),
                Instant.now().truncatedTo(ChronoUnit.MICROS));
    }
}
