package io.idempotency.sample.charges;

import org.jspecify.annotations.Nullable;

import io.idempotency.sample.payments.Payment;

/**
 * A payment as a charge.
 *
 * @param currency in lower case
 * @param created in seconds since the epoch
 * @see <a href="https://docs.stripe.com/api/charges/object">Stripe's charge object</a>
 */
record Charge(
        String id,
        String object,
        long amount,
        String currency,
        @Nullable String description,
        boolean paid,
        boolean captured,
        String status,
        long created) {

    static Charge of(Payment payment, ChargeRequest request) {
        return new Charge(
                "ch_" + payment.paymentId().toString().replace("-", ""),
                "charge",
                payment.amountCents(),
                request.currency(),
                request.description(),
                true,
                true,
                "succeeded",
                payment.createdAt().getEpochSecond());
    }
}
