package io.idempotency.sample.payments;

/** What became of a payment. */
public enum PaymentStatus {

    /** The money has left the account. */
    COMPLETED,

    /** The customer's payment of it has arrived as well, as its invoice tells. */
    SETTLED
}
