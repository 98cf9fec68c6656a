package io.idempotency.sample.payments;

import java.util.UUID;

/** There is no such payment. */
public final class PaymentNotFoundException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PaymentNotFoundException(UUID paymentId) {
        super("There is no payment " + paymentId + ".");
    }
}
