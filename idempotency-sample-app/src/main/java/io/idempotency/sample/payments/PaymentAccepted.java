package io.idempotency.sample.payments;

/**
 * What is told of a payment that was made: the same wherever the message goes.
 *
 * @param payment the payment
 * @param balanceCents what it has left on the account
 */
public record PaymentAccepted(Payment payment, long balanceCents) {

    /** Where it is told. */
    public static final String TOPIC = "payments";

    static final String TYPE = "payment.accepted";
}
