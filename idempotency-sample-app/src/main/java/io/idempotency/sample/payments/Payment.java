package io.idempotency.sample.payments;

import java.time.Instant;
import java.util.UUID;

/** A payment that was made; as JSON it is the answer of the API and the response that replays return. */
public record Payment(
        UUID paymentId,
        String accountId,
        long amountCents,
        Currency currency,
        String reference,
        PaymentStatus status,
        Instant createdAt) {}
