package io.idempotency.sample.payments;

/** What became of a payment. */
public enum PaymentStatus {

    /** The money has left the account. */
    COMPLETED
}
